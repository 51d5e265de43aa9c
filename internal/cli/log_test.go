package cli

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"regexp"
	"testing"

	"tapedeck/internal/config"
)

func TestTextLog(t *testing.T) {
	var out bytes.Buffer
	log := newLogger(&out, &config.Config{LogLevel: "WARNING", LogFormat: "text"}, slog.LevelWarn)
	log.Info("too little to be told")
	log.With("a", 1).WithGroup("g").Warn("odd\x1b[2J", "text", "two words")
	log.Error("plain")
	want := regexp.MustCompile(`^\d\d:\d\d:\d\d WARN odd\\x1b\[2J a=1 g\.text="two words"\n\d\d:\d\d:\d\d ERROR plain\n$`)
	if !want.MatchString(out.String()) {
		t.Errorf("log is %q, want %s", out.String(), want)
	}
}

func TestJSONLogOffTheTerminal(t *testing.T) {
	for _, format := range []string{"json", "auto"} {
		var out bytes.Buffer
		newLogger(&out, &config.Config{LogLevel: "INFO", LogFormat: format}, slog.LevelInfo).Info("hello", keyURL, "u")
		var line map[string]any
		if err := json.Unmarshal(out.Bytes(), &line); err != nil || line["msg"] != "hello" || line["url"] != "u" {
			t.Errorf("%s: log is %q (%v)", format, out.String(), err)
		}
	}
}

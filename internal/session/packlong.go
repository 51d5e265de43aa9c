package session

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"unicode/utf8"

	"github.com/klauspost/compress/zstd"
)

const (
	// streamed is from where on content is compressed while it is made JSON, in
	// bytes: the JSON of a long text, and a copy of it, would stand in memory
	// beside the text.
	streamed = 1 << 20
	// textPart is how much of a text is made JSON at a time.
	textPart = 64 << 10
)

// longPackers compress one content each at a time.
var longPackers = sync.Pool{New: func() any {
	return must(zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1)))
}}

// isLong reports whether content is to be packed by packLong.
func isLong(parts []Part) bool {
	n := 0
	for _, p := range parts {
		n += len(p.Text) + len(p.Input)
	}
	return n >= streamed
}

// packLong packs content with little memory beside it.
func packLong(parts []Part) (Packed, error) {
	var packed bytes.Buffer
	packer := longPackers.Get().(*zstd.Encoder)
	defer longPackers.Put(packer)
	packer.Reset(&packed)
	err := writeParts(packer, parts)
	if closing := packer.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return nil, fmt.Errorf("packing content: %w", err)
	}
	return bytes.Clone(packed.Bytes()), nil
}

// writeParts writes what json.Marshal gives of the parts, or what is the same to
// who reads it.
func writeParts(to io.Writer, parts []Part) error {
	between := "["
	for _, p := range parts {
		if _, err := io.WriteString(to, between); err != nil {
			return err
		}
		if err := writePart(to, p); err != nil {
			return err
		}
		between = ","
	}
	_, err := io.WriteString(to, "]")
	return err
}

// writePart writes a part with its text, if it has one, in front.
func writePart(to io.Writer, p Part) error {
	text := p.Text
	p.Text = ""
	rest, err := json.Marshal(p)
	if err != nil {
		return err
	}
	if text != "" {
		if err := writeText(to, text); err != nil {
			return err
		}
		rest[0] = ',' // never "{}": the type is always there
	}
	_, err = to.Write(rest)
	return err
}

// writeText writes the beginning of an object, up to the end of its text.
func writeText(to io.Writer, text string) error {
	if _, err := io.WriteString(to, `{"text":"`); err != nil {
		return err
	}
	var quoted bytes.Buffer
	encoder := json.NewEncoder(&quoted)
	for len(text) > 0 {
		n := textCut(text)
		if err := encoder.Encode(text[:n]); err != nil {
			return err
		}
		if _, err := to.Write(quoted.Bytes()[1 : quoted.Len()-len("\"\n")]); err != nil {
			return err
		}
		quoted.Reset()
		text = text[n:]
	}
	_, err := io.WriteString(to, `"`)
	return err
}

// textCut is where the next part of a text ends: not inside of a rune.
func textCut(text string) int {
	if len(text) <= textPart {
		return len(text)
	}
	n := textPart
	for n > textPart-utf8.UTFMax && !utf8.RuneStart(text[n]) {
		n--
	}
	return n
}

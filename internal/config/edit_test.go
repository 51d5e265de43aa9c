package config

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAddEntries(t *testing.T) {
	entries := []Entry{{"postgres", "postgres://db/x"}, {"embedding_provider", "ollama"}}
	for name, tt := range map[string]struct {
		before, after string
		kept          []string
	}{
		"no file": {"", "[store]\npostgres = \"postgres://db/x\"\n\n[embedding]\nprovider = \"ollama\"\n", nil},
		"sections that are there": {
			"# mine\n[store] # of sessions\ndir = \"d\"\n\n[ embedding ]",
			"# mine\n[store] # of sessions\npostgres = \"postgres://db/x\"\ndir = \"d\"\n\n[ embedding ]\nprovider = \"ollama\"\n", nil,
		},
		"others alone": {
			"[limits]\nquery_timeout_s = 5",
			"[limits]\nquery_timeout_s = 5\n\n[store]\npostgres = \"postgres://db/x\"\n\n[embedding]\nprovider = \"ollama\"\n", nil,
		},
		"what a person set": {
			"[store]\npostgres = 'host=mine'\n[embedding]\nprovider = 'openai'\n",
			"[store]\npostgres = 'host=mine'\n[embedding]\nprovider = 'openai'\n", []string{"postgres", "embedding_provider"},
		},
		"the same already": {
			"[store]\npostgres = 'postgres://db/x'\n[embedding]\nprovider = 'ollama'\n",
			"[store]\npostgres = 'postgres://db/x'\n[embedding]\nprovider = 'ollama'\n", nil,
		},
		"lines of Windows": {
			"[store]\r\ndir = \"d\"\r\n",
			"[store]\r\npostgres = \"postgres://db/x\"\r\ndir = \"d\"\r\n\r\n[embedding]\r\nprovider = \"ollama\"\r\n", nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			after, kept, err := AddEntries([]byte(tt.before), entries)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.after, string(after)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.kept, kept); diff != "" {
				t.Errorf("kept (-want +got):\n%s", diff)
			}
		})
	}
}

// What can't be changed with confidence is left alone.
func TestFilesThatAreNotEdited(t *testing.T) {
	for name, text := range map[string]string{
		"no TOML":             "[store",
		"an inline table":     "store = {dir = \"d\"}\n",
		"a dotted key":        "store.dir = \"d\"\n",
		"a heading in a text": "[logging]\nlevel = '''\n[store]\n'''\n",
	} {
		after, _, err := AddEntries([]byte(text), []Entry{{"postgres", "postgres://db/x"}})
		if !errors.Is(err, ErrNotEditable) || after != nil {
			t.Errorf("%s: %q, %v; want ErrNotEditable", name, after, err)
		}
	}
}

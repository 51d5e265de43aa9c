package clients

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tidwall/gjson"

	"tapedeck/internal/embed/embedtest"
)

// An embedder fails in every way it can, and is mended each time while the server
// runs: agents are told in words and find by words meanwhile, and then all is there.
func TestGoClientIsToldHowTheEmbedderFails(t *testing.T) {
	for name, transport := range map[string]func(t *testing.T, home string, env ...string) mcp.Transport{
		"stdio": func(_ *testing.T, home string, env ...string) mcp.Transport {
			cmd := stdioServer(context.Background(), home)
			cmd.Env = append(cmd.Env, env...)
			return &mcp.CommandTransport{Command: cmd}
		},
		"http": func(t *testing.T, home string, env ...string) mcp.Transport {
			return &mcp.StreamableClientTransport{Endpoint: httpServer(t, home, env...)}
		},
	} {
		t.Run(name, func(t *testing.T) {
			home, embedder := homeWithSamples(t), embedtest.Ollama()
			target := embedder.Listen(t)
			embedder.Break(embedtest.Unauthorized) // from the start
			s := searchingSession{t, dial(t, transport(t, home, "TAPEDECK_EMBEDDING_PROVIDER=ollama", "TAPEDECK_EMBEDDING_TARGET="+target))}

			s.until("resumed upload race", "lexical", "the embedder refuses the key: ", "embedding_key")
			embedder.Mend()
			s.until("resumed upload race", "hybrid")
			for i, tc := range []struct {
				fault embedtest.Fault
				says  string
			}{
				{embedtest.Unauthorized, "the embedder refuses the key: Ollama at " + target},
				{embedtest.ModelMissing, "fetch it with: ollama pull embeddinggemma"},
				{embedtest.OtherWidth, "expected 768, Ollama at " + target + " gives 769"},
				{embedtest.NotJSON, "the embedder refuses the request: "},
				{embedtest.Down, "the embedder gives no vectors for now: Ollama at " + target},
			} {
				embedder.Break(tc.fault)
				word := fmt.Sprintf("kumquat%d", i)
				importInto(t, home, logThatSays(t, word))
				s.until(word, "lexical", "only words were searched, not meaning: ", tc.says)
				embedder.Mend()
				s.until(word, "hybrid")
			}
		})
	}
}

// A searchingSession searches until an answer is as it is to become.
type searchingSession struct {
	*testing.T
	session *mcp.ClientSession
}

// until waits for an answer that has a hit, in a mode; its notice says the words, and
// nothing when there are none. Whoever finds nothing by meaning is told why each time.
func (s searchingSession) until(query, mode string, says ...string) {
	s.Helper()
	for began := time.Now(); ; {
		found := open(s.T, s.session, "search", args{"query": query, "top_k": 1})
		notice := found.Get("notice").Str
		if found.Get("count").Int() > 0 && found.Get("mode").Str == "lexical" && notice == "" {
			s.Fatalf("an answer does not say why it is of words only: %s", found)
		}
		if answers(found.Result, query) && found.Get("mode").Str == mode && (notice == "") == (len(says) == 0) && hasAll(notice, says) {
			return
		}
		if time.Since(began) > indexing {
			s.Fatalf("%s is answered with %s; want mode %s, and a notice with %q", query, found, mode, says)
		}
	}
}

// answers reports whether the best hit has the query's first word.
func answers(found gjson.Result, query string) bool {
	word, _, _ := strings.Cut(query, " ")
	return strings.Contains(strings.ToLower(found.Get("results.0").Raw), word)
}

func hasAll(text string, parts []string) bool {
	for _, part := range parts {
		if !strings.Contains(text, part) {
			return false
		}
	}
	return true
}

// logThatSays writes the log of a session in which a word is asked for.
func logThatSays(t *testing.T, word string) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "claude", "projects", "-home-kim-fruit")
	log := fmt.Sprintf(`{"type":"user","uuid":"%[1]s-a","parentUuid":null,"sessionId":"%[1]s","timestamp":"2026-01-01T10:00:00.000Z","cwd":"/home/kim/fruit","version":"2.1.40","message":{"role":"user","content":"Where does the %[1]s grow?"}}
{"type":"assistant","uuid":"%[1]s-b","parentUuid":"%[1]s-a","sessionId":"%[1]s","timestamp":"2026-01-01T10:00:05.000Z","cwd":"/home/kim/fruit","version":"2.1.40","requestId":"%[1]s-r","message":{"id":"msg_%[1]s","type":"message","role":"assistant","model":"claude-opus-4-5-20251101","content":[{"type":"text","text":"On a tree."}],"stop_reason":"end_turn","usage":{"input_tokens":3,"output_tokens":20}}}
`, word)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, word+".jsonl"), []byte(log), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

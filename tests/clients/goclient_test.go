package clients

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"tapedeck/internal/sample"
)

// toolCount is how many tools a server has: six of recordings, three of sessions, and search.
const toolCount = 10

// transports are the ways to a server that lives as long as the test.
var transports = map[string]func(t *testing.T, home string) mcp.Transport{
	"stdio": func(_ *testing.T, home string) mcp.Transport {
		return &mcp.CommandTransport{Command: stdioServer(context.Background(), home)}
	},
	"http": func(t *testing.T, home string) mcp.Transport {
		return &mcp.StreamableClientTransport{Endpoint: httpServer(t, home)}
	},
}

func dial(t *testing.T, transport mcp.Transport) *mcp.ClientSession {
	t.Helper()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "tapedeck-test", Version: "1"}, nil).Connect(t.Context(), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := session.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return session
}

type args = map[string]any

// ask calls a tool and decodes its structured form into answer.
func ask(session *mcp.ClientSession, tool string, a args, answer any) error {
	result, err := session.CallTool(context.Background(), &mcp.CallToolParams{Name: tool, Arguments: a})
	if err != nil {
		return fmt.Errorf("%s: %w", tool, err)
	}
	text := result.Content[0].(*mcp.TextContent).Text
	if result.IsError {
		return fmt.Errorf("%s: %s", tool, text)
	}
	structured, err := json.Marshal(result.StructuredContent)
	if err != nil {
		return err
	}
	return json.Unmarshal(structured, answer)
}

// mustAsk is ask for tests that can't go on without the answer.
func mustAsk(t *testing.T, session *mcp.ClientSession, tool string, a args, answer any) {
	t.Helper()
	if err := ask(session, tool, a, answer); err != nil {
		t.Fatal(err)
	}
}

// rows is the answer to a query, of which tests look at the values.
type rows struct {
	Rows [][]any `json:"rows"`
}

// The road of the document that the tools implement, over both transports.
func TestGoClientWalksTheWholeRoad(t *testing.T) {
	for name, transport := range transports {
		t.Run(name, func(t *testing.T) {
			session := dial(t, transport(t, t.TempDir()))
			tools, err := session.ListTools(t.Context(), nil)
			if err != nil || len(tools.Tools) != toolCount {
				t.Fatalf("tools/list: %v %v", tools, err)
			}

			var listed struct {
				Recordings []struct {
					File         string `json:"file"`
					MessageCount int    `json:"message_count"`
				} `json:"recordings"`
			}
			mustAsk(t, session, "list_recordings", args{}, &listed)
			drives := sample.Drives()
			if len(listed.Recordings) != len(drives) {
				t.Fatalf("%d recordings, want %d", len(listed.Recordings), len(drives))
			}
			drive := drives[1]

			var info struct {
				Channels map[string]struct {
					MessageCount int `json:"message_count"`
				} `json:"channels"`
			}
			mustAsk(t, session, "get_recording_info", args{"file": drive.File}, &info)
			for topic, n := range drive.Messages {
				if info.Channels[topic].MessageCount != n {
					t.Errorf("%s: %d messages, want %d", topic, info.Channels[topic].MessageCount, n)
				}
			}

			var schema struct {
				Topics map[string]struct {
					TableName string                        `json:"table_name"`
					Fields    []struct{ Name, Type string } `json:"fields"`
				} `json:"topics"`
			}
			mustAsk(t, session, "get_schema", args{"file": drive.File}, &schema)
			if table := schema.Topics["/battery/status"].TableName; table != "battery_status" {
				t.Errorf("table %q, want battery_status", table)
			}

			var loaded struct {
				Tables map[string]struct{ Rows int } `json:"tables"`
			}
			mustAsk(t, session, "load_recording", args{"file": drive.File}, &loaded)
			for topic, n := range drive.Messages {
				table := schema.Topics[topic].TableName
				if loaded.Tables[table].Rows != n {
					t.Errorf("%s: %d rows, want %d", table, loaded.Tables[table].Rows, n)
				}
				var counted rows
				mustAsk(t, session, "query", args{"sql": "SELECT count(*) FROM " + table}, &counted)
				if got := counted.Rows[0][0]; got != float64(n) {
					t.Errorf("count of %s is %v, want %d", table, got, n)
				}
				var described rows
				mustAsk(t, session, "query", args{"sql": "DESCRIBE " + table}, &described)
				for i, field := range schema.Topics[topic].Fields {
					if got := described.Rows[i]; got[0] != field.Name || got[1] != field.Type {
						t.Errorf("%s: column %v, get_schema says %v", table, got[:2], field)
					}
				}
			}

			var low rows
			mustAsk(t, session, "query", args{"sql": `SELECT min(b.timestamp_us) FROM battery_status b ASOF JOIN imu i
				ON b.timestamp_us >= i.timestamp_us WHERE b.voltage < 22`}, &low)
			if got := low.Rows[0][0]; got != float64(sample.LowVoltage.UnixMicro()) {
				t.Errorf("the voltage drops at %v, want %d", got, sample.LowVoltage.UnixMicro())
			}

			if err := ask(session, "query", args{"sql": "SELECT * FROM no_such_table"}, nil); err == nil ||
				!strings.Contains(err.Error(), `"loaded_tables":[`) || !strings.Contains(err.Error(), `"hint":`) {
				t.Errorf("missing table: %v", err)
			}

			var version struct{ Version, Upgrade string }
			mustAsk(t, session, "get_version", nil, &version)
			if version.Version == "" || version.Upgrade == "" {
				t.Errorf("version %+v", version)
			}
		})
	}
}

// Two clients of one server: one loads again and again while the other queries.
func TestTwoClientsAtOnce(t *testing.T) {
	url := httpServer(t, t.TempDir())
	loader := dial(t, &mcp.StreamableClientTransport{Endpoint: url})
	asker := dial(t, &mcp.StreamableClientTransport{Endpoint: url})
	drives := sample.Drives()
	mustAsk(t, asker, "load_recording", args{"file": drives[1].File, "alias": "kept"}, &rows{})

	const rounds = 12
	var both sync.WaitGroup
	both.Go(func() {
		for i := range rounds {
			drive := drives[i%len(drives)]
			var loaded struct {
				Tables map[string]struct{ Rows int } `json:"tables"`
			}
			alias := fmt.Sprint("round", i)
			if err := ask(loader, "load_recording", args{"file": drive.File, "alias": alias, "downsample": i/len(drives) + 1}, &loaded); err != nil {
				t.Error(err)
				return
			}
			every := i/len(drives) + 1
			if want := (drive.Messages["/imu"] + every - 1) / every; loaded.Tables[alias+"_imu"].Rows != want {
				t.Errorf("round %d: %d rows, want %d", i, loaded.Tables[alias+"_imu"].Rows, want)
			}
		}
	})
	both.Go(func() {
		for range 4 * rounds {
			var counted rows
			if err := ask(asker, "query", args{"sql": "SELECT count(*), min(timestamp_us) FROM kept_imu"}, &counted); err != nil {
				t.Error(err)
				return
			}
			if got := counted.Rows[0][0]; got != float64(drives[1].Messages["/imu"]) {
				t.Errorf("count is %v, want %d", got, drives[1].Messages["/imu"])
			}
		}
	})
	both.Wait()
}

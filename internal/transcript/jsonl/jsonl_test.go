package jsonl

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"
)

// A piece is one answer of Next.
type piece struct {
	Value  string
	Lost   string // reason
	Start  int64
	Offset int64
}

func readAll(t testing.TB, r *Reader) ([]piece, error) {
	t.Helper()
	var pieces []piece
	for {
		err := r.Next()
		var lost *LostError
		switch {
		case errors.As(err, &lost):
			if lost.Offset != r.Start() || lost.Offset+lost.Bytes != r.Offset() {
				t.Fatalf("lost %v, but start %d and offset %d", lost, r.Start(), r.Offset())
			}
			pieces = append(pieces, piece{Lost: lost.Reason, Start: r.Start(), Offset: r.Offset()})
		case err != nil:
			return pieces, err
		default:
			pieces = append(pieces, piece{Value: string(r.Value()), Start: r.Start(), Offset: r.Offset()})
		}
		if got := r.Line(); got != int64(len(pieces)-1) {
			t.Fatalf("piece %d is at line %d", len(pieces)-1, got)
		}
	}
}

func TestReader(t *testing.T) {
	deep := strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth)
	for _, test := range []struct {
		name string
		in   string
		want string // values, and lost parts as !reason, joined by a space
		end  error  // nil: io.EOF
		at   int64  // Offset at the end; 0: len(in)
	}{
		{name: "empty", in: "", want: ""},
		{name: "lines", in: "{\"a\":1}\n[2]\n", want: `{"a":1} [2]`},
		{name: "no last line break", in: "{}\n{}", want: `{} {}`},
		{name: "byte order mark", in: "\xef\xbb\xbf{}\n\xef\xbb\xbf{}\n", want: `{} {}`},
		{name: "CRLF", in: "{}\r\n\r\n{}\r\n", want: `{} {}`},
		{name: "blank lines", in: "\n\n{}\n \t\n\n{}\n\n", want: `{} {}`},
		{name: "NUL tail", in: "{}\n\x00\x00\x00", want: `{}`, at: 3},
		{name: "NULs between", in: "{}\x00\x00\n\x00{}\n", want: `{} {}`},
		{name: "invalid UTF-8", in: "{\"a\":\"\xff\xfe\"}\n{}\n", want: "{\"a\":\"\xff\xfe\"} {}"},
		{name: "glued", in: "{\"a\":\"}\"}{\"b\":[{}]} {}\n{}", want: `{"a":"}"} {"b":[{}]} {} {}`},
		{name: "brackets and quotes in strings", in: `{"a":"]}\"{\\"}{"b":"\\\""}`, want: `{"a":"]}\"{\\"} {"b":"\\\""}`},
		{name: "pretty-printed", in: "{\n  \"a\": [\n    1,\n    {}\n  ]\n}\n{}\n", want: "{\n  \"a\": [\n    1,\n    {}\n  ]\n} {}"},
		{name: "an array with a line for each element", in: "[\n{\"a\":1},\n{\"a\":2}\n]\n", want: "[\n{\"a\":1},\n{\"a\":2}\n]"},
		{name: "garbage", in: "hello\n{}\n42\n\"x\"\n{}\n", want: `!start {} !start !start {}`},
		{name: "garbage that may go on", in: "{}\nhel", want: `{}`, end: io.ErrUnexpectedEOF, at: 3},
		{name: "garbage behind a value", in: "{} x {}\n{}\n", want: `{} !start {}`},
		{name: "unclosed string", in: "{\"a\":\"b\n{}\n{\"c\":\"\"}\n", want: `!invalid {} {"c":""}`},
		{name: "unclosed object", in: "{\"a\":{\"b\":1\n{}\n{}\n", want: `!invalid {} {}`},
		{name: "unclosed array that the next line could belong to", in: "{\"a\":[\n{\"b\":1}\n{\"b\":2}\n", want: `!invalid {"b":1} {"b":2}`},
		{name: "the same before the last line", in: "{\"a\":[\n{\"b\":1}\n", want: `!invalid {"b":1}`},
		{name: "cut behind a colon", in: "{\"a\":\n{\"b\":1}\n{\"b\":2}", want: `!invalid {"b":1} {"b":2}`},
		{name: "wrong bracket", in: "{\"a\":[1}\n{}\n", want: `!invalid {}`},
		{name: "trailing comma", in: "[1,]\n{\"a\":1,}\n{}\n", want: `!invalid !invalid {}`},
		{name: "wrong word", in: "{\"a\":nil}\n[tru]\n[1 2]\n{}\n", want: `!invalid !invalid !invalid {}`},
		{name: "key without quotes", in: "{a:1}\n{{}:1}\n{}\n", want: `!invalid !invalid {}`},
		{name: "two lines in one", in: "{\"a\":\"x{\"a\":\"y\"}\n{}\n", want: `!invalid {}`},
		{name: "wrong word in a pretty-printed value", in: "{\n \"a\": nil,\n \"b\":\n {}\n}\n{}\n", want: `!invalid {}`},
		{name: "broken pretty-printed value", in: "{\n \"a\": {\n  \"b\" 1\n },\n \"c\": {}\n}\n{}\n", want: `!invalid !start !start !start {}`},
		{name: "cut string", in: "{}\n{\"a\":\"b", want: `{}`, end: io.ErrUnexpectedEOF, at: 3},
		{name: "cut object", in: "{}\n{\"a\":1", want: `{}`, end: io.ErrUnexpectedEOF, at: 3},
		{name: "cut behind a backslash", in: `{"a":"\`, want: ``, end: io.ErrUnexpectedEOF, at: 0},
		{name: "cut pretty-printed value", in: "{}\n{\n  \"a\": {},\n", want: `{}`, end: io.ErrUnexpectedEOF, at: 3},
		{name: "as deep as may be", in: deep + "\n{}", want: deep + ` {}`},
		{name: "too deep", in: "[" + deep + "]{}\n{}\n", want: `!deep {} {}`},
		{name: "too deep and unclosed", in: "[" + deep + "\n{}\n", want: `!deep {}`},
		{name: "many brackets, not deep", in: "[" + strings.Repeat("[],", MaxDepth) + "[]]\n", want: "[" + strings.Repeat("[],", MaxDepth) + "[]]"},
		{name: "as large as may be", in: `["` + strings.Repeat("x", 996) + `"]{}`, want: `["` + strings.Repeat("x", 996) + `"] {}`},
		{name: "too large", in: `["` + strings.Repeat(`\"x]`, 300) + `"]{}` + "\n{}\n", want: `!large {} {}`},
		{name: "too large, over several lines", in: "[\n" + strings.Repeat(" 12,\n", 300) + " 1\n]\n{}\n", want: `!large {}`},
		{name: "too large and unclosed", in: `["` + strings.Repeat("x", 1200) + "\n{}\n", want: `!invalid {}`},
		{name: "too large and cut", in: "{}\n[\"" + strings.Repeat("x", 1200), want: `{}`, end: io.ErrUnexpectedEOF, at: 3},
	} {
		t.Run(test.name, func(t *testing.T) {
			for name, in := range map[string]io.Reader{
				"whole":    strings.NewReader(test.in),
				"by bytes": iotest.OneByteReader(strings.NewReader(test.in)),
			} {
				r := NewReader(in, 0)
				if strings.Contains(test.name, "large") {
					r.maxLen = 1000
				}
				pieces, end := readAll(t, r)
				var got []string
				for _, p := range pieces {
					got = append(got, p.Value+shortReason(p.Lost))
				}
				if diff := cmp.Diff(test.want, strings.Join(got, " ")); diff != "" {
					t.Errorf("%s: values (-want +got):\n%s", name, diff)
				}
				wantEnd, wantAt := test.end, test.at
				if wantEnd == nil {
					wantEnd = io.EOF
					if wantAt == 0 {
						wantAt = int64(len(test.in))
					}
				}
				if !errors.Is(end, wantEnd) || r.Offset() != wantAt {
					t.Errorf("%s: ended with %v at %d, want %v at %d", name, end, r.Offset(), wantEnd, wantAt)
				}
			}
		})
	}
}

func shortReason(reason string) string {
	return map[string]string{"": "", reasonStart: "!start", reasonInvalid: "!invalid", reasonDeep: "!deep", reasonLarge: "!large"}[reason]
}

func TestReaderBeginsAtAnOffset(t *testing.T) {
	r := NewReader(strings.NewReader("{}\n{\"a\":1}\n"), 1000)
	got, _ := readAll(t, r)
	want := []piece{{Value: "{}", Start: 1000, Offset: 1002}, {Value: `{"a":1}`, Start: 1003, Offset: 1010}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
}

func TestReaderGivesOnErrorsOfTheStream(t *testing.T) {
	broken := errors.New("the disk is gone")
	_, err := readAll(t, NewReader(io.MultiReader(strings.NewReader("{}\n{\"a\""), iotest.ErrReader(broken)), 0))
	if !errors.Is(err, broken) {
		t.Errorf("ended with %v, want %v", err, broken)
	}
	_, err = readAll(t, NewReader(emptyReader{}, 0))
	if !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("a stream that gives nothing ended with %v, want %v", err, io.ErrNoProgress)
	}
}

type emptyReader struct{}

func (emptyReader) Read([]byte) (int, error) { return 0, nil }

// A long line takes its length in memory, and little more.
func TestLongLineMemory(t *testing.T) {
	const size = 64 << 20
	path := filepath.Join(t.TempDir(), "long.jsonl")
	line := `{"a":"` + strings.Repeat("x", size) + "\"}\n{}\n"
	if err := os.WriteFile(path, []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r := NewReader(file, 0)
	pieces := 0
	for err = r.Next(); err == nil; err = r.Next() {
		pieces++
	}
	runtime.ReadMemStats(&after)
	if !errors.Is(err, io.EOF) || pieces != 2 {
		t.Fatalf("read %d values, then %v", pieces, err)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > size+32<<20 {
		t.Errorf("allocated %d MB in all for a line of %d MB", took>>20, size>>20)
	}
}

// Files that make a careless reader begin again and again: these end within the
// time of a test.
func TestHostileFiles(t *testing.T) {
	for _, test := range []struct {
		name   string
		in     string
		pieces int
		end    error
	}{
		{"glued", strings.Repeat("{}", 4<<20), 4 << 20, io.EOF},
		{"open arrays", strings.Repeat("[1,\n", 1<<20), 0, io.ErrUnexpectedEOF},
		{"open objects", strings.Repeat("{\"a\":[\n", 1<<19), 1 << 19 / 257, io.ErrUnexpectedEOF},
		{"backslashes", `["` + strings.Repeat(`\`, 8<<20) + `"]`, 1, io.EOF},
		{"brackets", strings.Repeat("[", 8<<20), 0, io.ErrUnexpectedEOF},
		{"strings without end", strings.Repeat("{\"a\n", 1<<20), 1 << 20, io.EOF},
		{"garbage without line break", strings.Repeat("x", 8<<20), 0, io.ErrUnexpectedEOF},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, pieces := NewReader(strings.NewReader(test.in), 0), 0
			for {
				err := r.Next()
				var lost *LostError
				if err != nil && !errors.As(err, &lost) {
					if pieces != test.pieces || !errors.Is(err, test.end) {
						t.Errorf("%d pieces, then %v; want %d, then %v", pieces, err, test.pieces, test.end)
					}
					return
				}
				pieces++
			}
		})
	}
}

func FuzzReader(f *testing.F) {
	for _, seed := range []string{
		"{\"a\":1}\n[2]\n", "{}{}\n", "{\n \"a\": [1,\n 2]\n}", "[\n{\"a\":1}\n{}", "\xef\xbb\xbf{}\r\n\x00", "{\"a\":\"\\\"}", "[[[1,2\n{\"a\":{", "x\n{}", "{\"a\":tru}\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r := NewReader(bytes.NewReader(data), 0)
		pieces, end := readAll(t, r)
		if !errors.Is(end, io.EOF) && !errors.Is(end, io.ErrUnexpectedEOF) {
			t.Fatalf("ended with %v", end)
		}
		checkPieces(t, data, pieces, r.Offset())

		slow, slowEnd := readAll(t, NewReader(iotest.OneByteReader(bytes.NewReader(data)), 0))
		if diff := cmp.Diff(pieces, slow); diff != "" || !errors.Is(slowEnd, end) {
			t.Fatalf("read byte by byte it ends with %v, not %v, and differs (-want +got):\n%s", slowEnd, end, diff)
		}
		for i, p := range pieces {
			rest, _ := readAll(t, NewReader(bytes.NewReader(data[p.Offset:]), p.Offset))
			if diff := cmp.Diff(pieces[i+1:], rest, cmp.Transformer("", func(p []piece) []piece { return append([]piece{}, p...) })); diff != "" {
				t.Fatalf("going on behind piece %d differs (-want +got):\n%s", i, diff)
			}
		}

		short := NewReader(bytes.NewReader(data), 0)
		short.maxLen = 16
		pieces, _ = readAll(t, short)
		checkPieces(t, data, pieces, short.Offset())

		// Whatever came before, whole lines behind it are read.
		lines := append(bytes.Clone(data), "\n{\"k\":1}\n{\"k\":2}\n"...)
		pieces, _ = readAll(t, NewReader(bytes.NewReader(lines), 0))
		if n := len(pieces); n < 2 || pieces[n-2].Value != `{"k":1}` || pieces[n-1].Value != `{"k":2}` {
			t.Fatalf("the lines behind it are not read: %+v", pieces)
		}
	})
}

// checkPieces checks that the pieces are values as they stand, in order, with
// nothing but blanks between them.
func checkPieces(t *testing.T, data []byte, pieces []piece, end int64) {
	t.Helper()
	at := int64(0)
	for _, p := range pieces {
		if p.Start < at || p.Offset <= p.Start {
			t.Fatalf("piece %+v behind %d", p, at)
		}
		if between := bytes.ReplaceAll(data[at:p.Start], byteOrderMark, nil); len(bytes.Trim(between, " \t\r\n\x00")) > 0 {
			t.Fatalf("%q was neither given nor lost", between)
		}
		if p.Lost == "" && (p.Value != string(data[p.Start:p.Offset]) || !gjson.Valid(p.Value)) {
			t.Fatalf("value %q at %d is not what stands there, or invalid", p.Value, p.Start)
		}
		at = p.Offset
	}
	if end < at || end > int64(len(data)) {
		t.Fatalf("ended at %d of %d, behind %d", end, len(data), at)
	}
}

func benchmark(b *testing.B, line string) {
	data := []byte(strings.Repeat(line, 16<<20/len(line)))
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		r := NewReader(bytes.NewReader(data), 0)
		for {
			if err := r.Next(); err != nil {
				if !errors.Is(err, io.EOF) {
					b.Fatal(err)
				}
				break
			}
		}
	}
}

func BenchmarkLines(b *testing.B) {
	benchmark(b, `{"type":"assistant","uuid":"00000000-0000-4000-8000-000000000000","message":{"id":"msg_1","usage":{"input_tokens":12,"output_tokens":345},"content":[{"type":"text","text":"`+strings.Repeat(`some words, a \"quote\" and a\nline break `, 20)+`"}]},"isSidechain":false}`+"\n")
}

func BenchmarkLongLines(b *testing.B) {
	benchmark(b, `{"image":"`+strings.Repeat("QUJD", 1<<19)+"\"}\n")
}

func BenchmarkPrettyPrinted(b *testing.B) {
	benchmark(b, "{\n  \"messages\": [\n"+strings.Repeat("    {\n      \"type\": \"text\",\n      \"text\": \"some words and more of them\"\n    },\n", 50)+"    {}\n  ]\n}\n")
}

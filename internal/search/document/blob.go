package document

import "strings"

const (
	// longRun is the shortest run of base64 characters that is left out: longer
	// than any hash or identifier.
	longRun = 200
	// wrapped is the shortest line of base64 that is wrapped in lines (PEM has 64,
	// MIME 76), wrappedLines how many of them are left out.
	wrapped, wrappedLines = 60, 3
	// dumpLines is how many lines of a hex dump are left out.
	dumpLines = 8
)

// withoutBlobs is a text without base64, encrypted content, data URLs and hex
// dumps.
func withoutBlobs(text string) string { return withoutDumps(withoutRuns(text)) }

// withoutRuns leaves out long runs of base64 within lines, and what data URLs hold.
func withoutRuns(text string) string {
	var out []byte
	done := 0
	for i := 0; i < len(text); {
		start, end := i, i
		if base64Byte[text[i]] {
			for end < len(text) && base64Byte[text[end]] {
				end++
			}
			if run := text[start:end]; len(run) < longRun && !isEncrypted(run) {
				start = end
			}
		} else if text[i] == ':' {
			start, end = dataURL(text, i)
		}
		if start < end {
			out = append(append(out, text[done:start]...), leftOut...)
			done = end
		}
		i = max(i+1, end)
	}
	if done == 0 {
		return text
	}
	return string(append(out, text[done:]...))
}

// dataURL is where the content of a data URL with this colon lies.
func dataURL(text string, colon int) (start, end int) {
	const (
		head     = 100 // media type and parameters
		shortest = 40
	)
	if !strings.HasSuffix(text[:colon], "data") {
		return 0, 0
	}
	comma := strings.IndexByte(text[colon:min(len(text), colon+head)], ',')
	if comma < 0 || strings.ContainsAny(text[colon:colon+comma], " \n\"'") {
		return 0, 0
	}
	start = colon + comma + 1
	end = start
	for end < len(text) && !strings.ContainsRune(" \t\n\"'`()<>", rune(text[end])) {
		end++
	}
	if end-start < shortest {
		return 0, 0
	}
	return start, end
}

// isEncrypted reports whether a run is a Fernet token, which is how Codex keeps
// what a model thought.
func isEncrypted(run string) bool { return len(run) >= 80 && strings.HasPrefix(run, "gAAAA") }

// A lineKind is what a line looks like.
type lineKind int

const (
	ordinary lineKind = iota
	base64Line
	hexLine
)

// withoutDumps leaves out base64 that is wrapped in lines, and hex dumps.
func withoutDumps(text string) string {
	var (
		out   []byte
		done  int
		run   lineKind // of the lines just before
		start int      // of the run
		lines int
		width int
	)
	end := func(at int) {
		if run == base64Line && lines >= wrappedLines || run == hexLine && lines >= dumpLines {
			out = append(append(out, text[done:start]...), leftOut+"\n"...)
			done = at
		}
	}
	at := 0
	for line := range strings.Lines(text) {
		kind := kindOfLine(line)
		if tail := run == base64Line && lines >= wrappedLines && kind == ordinary && len(line) <= width && isBase64(strings.TrimSpace(line)); tail {
			at += len(line) // the last line, which is shorter
			end(at)
			run = ordinary
			continue
		}
		if kind != run || kind == base64Line && len(line) != width {
			end(at)
			run, start, lines, width = kind, at, 0, len(line)
		}
		lines++
		at += len(line)
	}
	end(at)
	if done == 0 {
		return text
	}
	return string(append(out, text[done:]...))
}

func kindOfLine(line string) lineKind {
	line = strings.TrimSpace(line)
	switch {
	case len(line) < 16:
		return ordinary
	case len(line) >= wrapped && isBase64(line) && random(line, 6) && !isHex(line):
		return base64Line
	case isHexDump(line):
		return hexLine
	}
	return ordinary
}

func isBase64(text string) bool {
	for i := range len(text) {
		if !base64Byte[text[i]] {
			return false
		}
	}
	return text != ""
}

// isHexDump reports whether a line is one of xxd, hexdump or od, which begin with
// an offset, or of a byte array in code.
func isHexDump(line string) bool {
	const fewest = 4 // groups
	groups, marked := 0, false
	for field := range strings.FieldsSeq(line) {
		digits, prefixed := strings.CutPrefix(strings.TrimRight(field, ",:"), "0x")
		n := len(digits)
		if !isHex(digits) || groups > 0 && n != 2 && n != 4 && n != 8 {
			break
		}
		if groups == 0 {
			marked = prefixed || n == 7 || n == 8 || n == 16
		}
		groups++
	}
	return marked && groups > fewest
}

func isHex(text string) bool {
	for i := range len(text) {
		if c := text[i] | 0x20; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

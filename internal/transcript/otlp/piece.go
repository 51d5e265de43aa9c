package otlp

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"

	"github.com/tidwall/gjson"

	"tapedeck/internal/session"
	"tapedeck/internal/transcript/chat"
)

// A piece is a span or log record of a file, with what stands around it.
type piece struct {
	raw     string // as it stands
	around  []frame
	isLog   bool
	trace   string
	span    string
	own     string // session that it names
	outer   string // session that the resource names
	order   int64
	unknown string // name of a log record of no known kind
}

// A frame is an object around a piece, cut open where the piece stands.
type frame struct{ before, behind string }

// maxAround bounds what is kept around each of a request's spans: a hostile
// resource must not be multiplied by its spans.
const maxAround = 64 << 10

// key is the identity of the record.
func (p *piece) key() string {
	switch {
	case p.isLog:
		return p.trace + "/" + p.span + "/log/" + hashOf(p.raw)
	case p.span == "":
		return p.trace + "/" + hashOf(p.raw)
	}
	return p.trace + "/" + p.span
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// size is the number of bytes around the piece.
func (p *piece) size() int {
	n := 0
	for _, f := range p.around {
		n += len(f.before) + len(f.behind)
	}
	return n
}

// body is the piece with what stands around it.
func (p *piece) body() []byte {
	out := make([]byte, 0, p.size()+len(p.raw))
	for _, f := range p.around {
		out = append(out, f.before...)
	}
	out = append(out, p.raw...)
	for i := range p.around {
		out = append(out, p.around[len(p.around)-1-i].behind...)
	}
	return out
}

// around is the object with a list cut open, for one of its elements.
func around(object, list gjson.Result) frame {
	return frame{object.Raw[:list.Index] + "[", "]" + object.Raw[list.Index+len(list.Raw):]}
}

// pieces gives the pieces of a value of the file; false where it is of no kind
// that holds spans.
func pieces(value gjson.Result, give func(*piece) error) (bool, error) {
	if value.IsArray() {
		known := false
		var err error
		value.ForEach(func(_, item gjson.Result) bool {
			var one bool
			if item.IsObject() {
				one, err = pieces(item, give)
			}
			known = known || one
			return err == nil
		})
		return known, err
	}
	switch {
	case value.Get("resourceSpans").IsArray():
		return true, nested(value.Get("resourceSpans"), "scopeSpans", "spans", give)
	case value.Get("resourceLogs").IsArray():
		return true, nested(value.Get("resourceLogs"), "scopeLogs", "logRecords", give)
	case value.Get("spanContext.traceId").Exists():
		return true, give(readable(value))
	}
	return false, nil
}

// nested gives the spans or log records of a request.
func nested(resources gjson.Result, scopesKey, itemsKey string, give func(*piece) error) error {
	var err error
	resources.ForEach(func(_, resource gjson.Result) bool {
		outer := attributes(resource.Get("resource.attributes"), chat.IsSessionKey).Session()
		scopes := gjson.Get(resource.Raw, scopesKey)
		if !scopes.IsArray() {
			return true
		}
		outside := around(resource, scopes)
		scopes.ForEach(func(_, scope gjson.Result) bool {
			items := gjson.Get(scope.Raw, itemsKey)
			if !items.IsArray() {
				return true
			}
			inside := around(scope, items)
			items.ForEach(func(_, item gjson.Result) bool {
				if !item.IsObject() {
					return true
				}
				p := read(item, itemsKey == "logRecords")
				p.outer, p.around = outer, []frame{outside, inside}
				err = give(p)
				return err == nil
			})
			return err == nil
		})
		return err == nil
	})
	return err
}

// read is a span or log record of OTLP.
func read(item gjson.Result, isLog bool) *piece {
	p := &piece{
		raw: item.Raw, isLog: isLog,
		trace: identifier(item.Get("traceId"), traceSize), span: identifier(item.Get("spanId"), spanSize),
		own:   attributes(item.Get("attributes"), chat.IsSessionKey).Session(),
		order: nanoseconds(item.Get("startTimeUnixNano")),
	}
	if isLog {
		p.order = nanoseconds(item.Get("timeUnixNano"))
		if p.order == 0 {
			p.order = nanoseconds(item.Get("observedTimeUnixNano"))
		}
		if name := logName(item); !isChat(name) {
			p.unknown = "log record " + strconv.Quote(session.Clip(name, 80))
		}
	}
	return p
}

// readable is a span as OpenTelemetry for JavaScript holds it.
func readable(item gjson.Result) *piece {
	return &piece{
		raw:   item.Raw,
		trace: identifier(item.Get("spanContext.traceId"), traceSize), span: identifier(item.Get("spanContext.spanId"), spanSize),
		own:   attributes(item.Get("attributes"), chat.IsSessionKey).Session(),
		outer: attributes(item.Get("resource.attributes"), chat.IsSessionKey).Session(),
		order: nanoseconds(item.Get("startTime")),
	}
}

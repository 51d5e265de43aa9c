package gemini

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/tidwall/gjson"

	"tapedeck/internal/session"
)

// Keys of records: of the document around a snapshot's messages, of a message
// in one (with its id), of a log's line (with its offset and hash), of the file
// that names the project.
const (
	keySession = "session"
	keyRoot    = "project_root"
	keyMessage = "msg:"
	keyLine    = "line:"
)

// snapshot gives the records of a document. Message records have the document's
// version, so that of each message the latest counts. They have no place of
// their own: the document that counts tells their order.
func (r *reading) snapshot(doc, messages gjson.Result) error {
	version := moment(doc.Get("lastUpdated"))
	keys, bodies := split(messages)
	ref := session.Ref{Harness: harness, Key: snapshotID(doc, bodies)}
	r.base = ref.Key
	if err := r.begin(ref); err != nil {
		return err
	}
	around, err := without(doc, messages, keys)
	if err != nil {
		return err
	}
	record := session.Record{Key: keySession, Version: int64(version), At: started(doc), Body: around}
	if err := r.to.Record(ref, record); err != nil {
		return err
	}
	for i, body := range bodies {
		r.count(typeOf(body))
		record := session.Record{
			Key: keys[i], Version: int64(version), Pos: int64(i) + 1,
			At: moment(timeOf(body)), Body: []byte(body.Raw),
		}
		if err := r.to.Record(ref, record); err != nil {
			return err
		}
	}
	return nil
}

// split gives each message its key: its id, or where it has none a hash and,
// for the same message again, its number.
func split(messages gjson.Result) (keys []string, bodies []gjson.Result) {
	seen := map[string]int{}
	messages.ForEach(func(_, message gjson.Result) bool {
		key := keyMessage + message.Get("id").String()
		if key == keyMessage {
			key += hashOf([]byte(message.Raw))
			if seen[key]++; seen[key] > 1 {
				key += "#" + strconv.Itoa(seen[key])
			}
		}
		keys, bodies = append(keys, key), append(bodies, message)
		return true
	})
	return keys, bodies
}

// snapshotID is the session's identifier; a document without one is known by
// how it begins, which does not change while it grows.
func snapshotID(doc gjson.Result, messages []gjson.Result) string {
	if id := doc.Get("sessionId").Str; id != "" {
		return id
	}
	first := ""
	if len(messages) > 0 {
		first = messages[0].Raw
	}
	return "unnamed-" + hashOf([]byte(doc.Get("startTime").Raw+doc.Get("start_time").Raw+first))
}

// without is the document with the keys of its messages in their place; all
// else stands as it did.
func without(doc, messages gjson.Result, keys []string) ([]byte, error) {
	list, err := json.Marshal(keys)
	if err != nil {
		return nil, fmt.Errorf("reading a session: %w", err)
	}
	if len(keys) == 0 {
		list = []byte("[]")
	}
	begin, end := messages.Index, messages.Index+len(messages.Raw)
	return bytes.Join([][]byte{[]byte(doc.Raw[:begin]), list, []byte(doc.Raw[end:])}, nil), nil
}

// logLine gives a line of a log.
func (r *reading) logLine(body []byte, start int64) error {
	value := gjson.ParseBytes(body)
	ref := session.Ref{Harness: harness, Key: r.at.Session}
	if err := r.begin(ref); err != nil {
		return err
	}
	if value.Get("id").Type == gjson.String {
		r.count(typeOf(value))
	} else if !isEdit(value) {
		r.to.Unknown("line")
	}
	return r.to.Record(ref, session.Record{
		// The offset keeps a line apart that says the same again: a second
		// $rewindTo acts a second time.
		Key:   fmt.Sprintf("%s%012d:%s", keyLine, start, hashOf(body)),
		Order: start + 1, Pos: start, At: moment(timeOf(value)), Body: body,
	})
}

// isEdit reports whether a line that is no message is one that logs have.
func isEdit(value gjson.Result) bool {
	return value.Get("$set").Exists() || value.Get("$rewindTo").Exists() || value.Get("sessionId").Exists()
}

// count tells of messages of a type that is not known here.
func (r *reading) count(kind string) {
	if !knownTypes[kind] {
		r.to.Unknown("message " + session.Clip(kind, 80))
	}
}

func typeOf(message gjson.Result) string {
	if kind := message.Get("type"); kind.Exists() {
		return kind.String()
	}
	return message.Get("role").String()
}

func timeOf(message gjson.Result) gjson.Result {
	if at := message.Get("timestamp"); at.Exists() {
		return at
	}
	return message.Get("ts")
}

func started(doc gjson.Result) session.Time {
	if at := moment(doc.Get("startTime")); at != 0 {
		return at
	}
	return moment(doc.Get("start_time"))
}

func moment(value gjson.Result) session.Time {
	at, _ := session.ParseTime(value.String())
	return at
}

func hashOf(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:8])
}

package decodetest

import (
	"errors"
	"io"
	"iter"
	"os"
	"testing"

	"github.com/foxglove/mcap/go/mcap"

	"tapedeck/decode"
)

// Message is a message of a recording.
type Message struct {
	Topic    string
	Encoding string
	Schema   decode.Schema // empty when there is none
	SchemaID uint16
	Data     []byte
}

// Messages are the messages of an MCAP file, in its order.
func Messages(t testing.TB, path string) iter.Seq[Message] {
	return func(yield func(Message) bool) {
		t.Helper()
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		r, err := mcap.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		it, err := r.Messages(mcap.UsingIndex(false))
		if err != nil {
			t.Fatal(err)
		}
		for {
			schema, channel, m, err := it.NextInto(nil)
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			message := Message{Topic: channel.Topic, Encoding: channel.MessageEncoding, SchemaID: channel.SchemaID, Data: m.Data}
			if schema != nil {
				message.Schema = decode.Schema{Name: schema.Name, Encoding: schema.Encoding, Data: schema.Data}
			}
			if !yield(message) {
				return
			}
		}
	}
}

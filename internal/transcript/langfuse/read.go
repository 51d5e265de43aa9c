package langfuse

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"

	"github.com/tidwall/gjson"

	"tapedeck/internal/session"
	"tapedeck/internal/transcript"
	"tapedeck/internal/transcript/jsonl"
)

// Keys of records: of a trace, of an observation.
const (
	keyTrace       = "trace/"
	keyObservation = "observation/"
)

// Read reads an export, always from its start: it is written at one go.
func (importer) Read(ctx context.Context, f *transcript.File, from transcript.Cursor, to transcript.Sink) (transcript.Cursor, error) {
	file, err := os.Open(f.Path)
	if err != nil {
		return from, fmt.Errorf("opening an export: %w", err)
	}
	defer file.Close()
	end, err := jsonl.NewReader(file, 0).Each(ctx, to, func(value []byte, start int64) error {
		r := reading{to: to, start: start}
		return r.value(gjson.ParseBytes(value))
	})
	if err != nil {
		return from, err
	}
	return transcript.Cursor{Offset: end}, nil
}

// A reading gives what a value of the file holds.
type reading struct {
	to    transcript.Sink
	start int64
	count int64 // records so far
}

func (r *reading) value(value gjson.Result) error {
	if !value.IsArray() {
		return r.document(value)
	}
	var err error
	value.ForEach(func(_, document gjson.Result) bool {
		err = r.document(document)
		return err == nil
	})
	return err
}

// document gives a trace and its observations.
func (r *reading) document(document gjson.Result) error {
	trace := document.Get("trace")
	if !trace.IsObject() {
		trace = document
	}
	list := document.Get("observations")
	id := firstOf(trace.Get("id").String(), list.Get("0.traceId").String())
	if !document.IsObject() || !list.IsArray() || id == "" {
		r.to.Lost(r.start, "expected a trace with its observations, found a value without them")
		return nil
	}
	ref := session.Ref{Harness: harness, Key: session.Clean(firstOf(textOf(trace.Get("sessionId")), id))}
	at := gjson.Get(document.Raw, "observations").Index
	around := document.Raw[:at] + "[]" + document.Raw[at+len(list.Raw):]
	if err := r.give(ref, keyTrace+id, []byte(around), trace, trace.Get("timestamp")); err != nil {
		return err
	}
	var err error
	list.ForEach(func(_, item gjson.Result) bool {
		key := item.Get("id").String()
		if key == "" {
			r.to.Lost(r.start, "expected an observation with its id, found one without")
			return true
		}
		if kind := item.Get("type").String(); !slices.Contains(types, kind) {
			r.to.Unknown("observation " + session.Clip(kind, 80))
		}
		err = r.give(ref, keyObservation+key, []byte(item.Raw), item, item.Get("startTime"))
		return err == nil
	})
	return err
}

// types are the types of observations that are known.
var types = []string{"SPAN", "GENERATION", "EVENT", "TOOL", "AGENT", "CHAIN", "RETRIEVER", "EVALUATOR", "EMBEDDING", "GUARDRAIL"}

func (r *reading) give(ref session.Ref, key string, body json.RawMessage, about, when gjson.Result) error {
	r.count++
	at := moment(when)
	return r.to.Record(ref, session.Record{
		Key: session.Clean(key), Version: int64(moment(about.Get("updatedAt"))),
		Order: nanoseconds(at), Pos: r.start + r.count, At: at, Body: body,
	})
}

func moment(value gjson.Result) session.Time {
	at, _ := session.ParseTime(value.String())
	return at
}

func nanoseconds(at session.Time) int64 { return int64(at) * 1e6 }

// textOf is a text; "" for null and anything else.
func textOf(value gjson.Result) string {
	if value.Type == gjson.String {
		return value.Str
	}
	return ""
}

func firstOf(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}

package jsonmsg

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"tapedeck/decode"
	"tapedeck/decode/decodetest"
)

// restore makes a message from its row again: what encoding/json would read
// from it, numbers as they are exactly.
func (r *reader) restore(b *decode.Batch, i int) any {
	if r.bound != b {
		r.bind(b)
	}
	if r.value != nil && !r.value.vector.IsNull(i) {
		return r.value.restore(i)
	}
	return r.root.restore(i)
}

func (sl *slot) restore(i int) any {
	if sl.op != readColumns && sl.vector.IsNull(i) {
		return nil
	}
	switch sl.op {
	case readColumns, readStruct:
		object := map[string]any{}
		for key, at := range sl.index {
			object[key] = sl.entries[at].restore(i)
		}
		return object
	case readList:
		list := []any{}
		for j := start(sl.vector, i); j < sl.vector.Ends()[i]; j++ {
			list = append(list, sl.elem.restore(j))
		}
		return list
	case readJSON, readEmpty:
		return parse(between(sl.vector, i))
	case readText:
		return string(between(sl.vector, i))
	case readBool:
		return sl.vector.Fixed()[i] != 0
	case readFloat:
		return math.Float64frombits(binary.LittleEndian.Uint64(sl.vector.Fixed()[8*i:]))
	}
	return json.Number(fmt.Sprint(cell(sl.vector, i)))
}

func parse(text []byte) any {
	var v any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return err
	}
	return v
}

// same reports whether a row's value says what the message says: a key that is
// null is one that is absent, and so is an object without any other.
func same(want, got any) bool {
	switch want := want.(type) {
	case nil:
		return empty(got)
	case map[string]any:
		got, ok := got.(map[string]any)
		if !ok {
			return empty(want)
		}
		for key := range got {
			if _, ok := want[key]; !ok && !empty(got[key]) {
				return false
			}
		}
		for key, v := range want {
			if !same(v, got[key]) {
				return false
			}
		}
		return true
	case []any:
		got, ok := got.([]any)
		if !ok || len(got) != len(want) {
			return false
		}
		for i := range want {
			if !same(want[i], got[i]) {
				return false
			}
		}
		return true
	case json.Number:
		return sameNumber(want, got)
	}
	return want == got
}

func empty(v any) bool {
	object, ok := v.(map[string]any)
	for _, member := range object {
		if !empty(member) {
			return false
		}
	}
	return ok || v == nil
}

// sameNumber compares with the literal: integers exactly, fractions as the
// nearest DOUBLE or in the same digits.
func sameNumber(want json.Number, got any) bool {
	integer, isInteger := new(big.Int).SetString(string(want), 10)
	switch got := got.(type) {
	case json.Number:
		if isInteger {
			other, ok := new(big.Int).SetString(string(got), 10)
			return ok && other.Cmp(integer) == 0
		}
		return got == want
	case float64:
		if isInteger {
			other, accuracy := big.NewFloat(got).Int(nil)
			return accuracy == big.Exact && other.Cmp(integer) == 0
		}
		nearest, err := strconv.ParseFloat(string(want), 64)
		return err == nil && nearest == got
	}
	return false
}

// checkLossless loads messages and fails if one of them does not come back, or
// if Observe, Decode and encoding/json do not agree which of them are JSON.
func checkLossless(t *testing.T, schema decode.Schema, messages [][]byte) {
	t.Helper()
	p := compile(t, schema, decode.Options{})
	valid := make([]bool, len(messages))
	for i, m := range messages {
		err := p.Observe(m)
		valid[i] = err == nil
		if want := json.Valid(bytes.TrimPrefix(m, []byte("\ufeff"))) && utf8.Valid(m); valid[i] != want && !errors.Is(err, errDepth) {
			t.Fatalf("Observe(%q) = %v, but encoding/json says %t", m, err, want)
		}
	}
	fork := p.Fork()
	b, forked := decode.NewBatch(p.Columns(), nil), decode.NewBatch(p.Columns(), nil)
	for i, m := range messages {
		err := p.Decode(m, b)
		if errors.Is(err, decode.ErrWiden) || (err == nil) != valid[i] {
			t.Fatalf("Decode(%q) = %v, but Observe took it: %t", m, err, valid[i])
		}
		if err := fork.Decode(m, forked); (err == nil) != valid[i] {
			t.Fatalf("Decode(%q) of a fork = %v", m, err)
		}
		if err != nil {
			b.DropRow()
			forked.DropRow()
		}
		decodetest.CheckBatch(t, b)
		if err != nil || schema.Data != nil {
			continue
		}
		got := p.reader.restore(b, b.Rows()-1)
		if want := parse(bytes.TrimPrefix(m, []byte("\ufeff"))); !same(want, got) {
			t.Fatalf("%s came back as %v\ncolumns %v", m, got, p.Columns())
		}
	}
	if b.Rows() != forked.Rows() {
		t.Fatalf("%d rows, %d in the fork", b.Rows(), forked.Rows())
	}
	for i := range b.Rows() {
		if a, b := row(b, i), row(forked, i); a != b {
			t.Fatalf("row %d is %s, %s in the fork", i, a, b)
		}
	}
}

// randomValue writes a JSON value of the kinds that lean makes likely, so that
// messages have something in common.
func randomValue(rng *rand.Rand, depth int) string {
	kinds := 8
	if depth == 0 {
		kinds = 6
	}
	switch rng.IntN(kinds) {
	case 0:
		return "null"
	case 1:
		return []string{"true", "false"}[rng.IntN(2)]
	case 2:
		return []string{`""`, `"a"`, `"long enough to go by eights"`, `"\u00e9\n\"\\"`, `"日本"`, `"1"`}[rng.IntN(6)]
	case 3:
		return strconv.Itoa(rng.IntN(100) - 50)
	case 4:
		return strconv.FormatFloat(rng.NormFloat64(), 'g', -1, 64)
	case 5:
		return []string{"9007199254740993", "18446744073709551615", "-9223372036854775808", "1e400", "5.0", "1" + strings.Repeat("0", 40)}[rng.IntN(6)]
	case 6:
		var items []string
		for range rng.IntN(4) {
			items = append(items, randomValue(rng, depth-1))
		}
		return "[" + strings.Join(items, ", ") + "]"
	}
	return randomObject(rng, depth-1, 1)
}

// randomObject has keys of which each has a favourite kind of value: its own
// number decides it, but for one in chaos values.
func randomObject(rng *rand.Rand, depth, chaos int) string {
	var members []string
	for range rng.IntN(6) {
		key := rng.IntN(8)
		var value string
		switch {
		case chaos > 0 && rng.IntN(chaos) == 0 || depth <= 0 || key > 5:
			value = randomValue(rng, max(depth, 0))
		case key == 0:
			value = strconv.Itoa(rng.IntN(1000))
		case key == 1:
			value = strconv.FormatFloat(rng.NormFloat64(), 'g', 1+rng.IntN(17), 64)
		case key == 2:
			value = strconv.Quote("text " + strconv.Itoa(rng.IntN(1000)))
		case key == 3:
			value = randomObject(rng, depth-1, chaos)
		case key == 4:
			value = "[" + randomObject(rng, depth-1, chaos) + "," + randomObject(rng, depth-1, chaos) + "]"
		case key == 5:
			value = fmt.Sprintf("[%d, %d]", rng.IntN(9), rng.IntN(9))
		}
		members = append(members, fmt.Sprintf(`"k%d":%s`, key, value))
	}
	return "{" + strings.Join(members, ",") + "}"
}

// Whatever the messages, their rows say the same as they do.
func TestNothingIsLost(t *testing.T) {
	for seed := range uint64(600) {
		rng := rand.New(rand.NewPCG(seed, 7))
		chaos := []int{0, 1, 5, 50, 500}[rng.IntN(5)]
		var messages [][]byte
		for range 1 + rng.IntN(40) {
			if chaos == 1 && rng.IntN(3) == 0 {
				messages = append(messages, []byte(randomValue(rng, 3)))
			} else {
				messages = append(messages, []byte(randomObject(rng, 4, chaos)))
			}
		}
		checkLossless(t, decode.Schema{}, messages)
	}
}

// The same messages in another order give the same types.
func TestOrderDoesNotMatter(t *testing.T) {
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 8))
		var messages [][]byte
		for range 20 {
			messages = append(messages, []byte(randomObject(rng, 3, 5)))
		}
		types := func() map[string]string {
			p := compile(t, decode.Schema{}, decode.Options{FlattenDepth: 1})
			for _, m := range messages {
				if err := p.Observe(m); err != nil {
					t.Fatal(err)
				}
			}
			got := map[string]string{}
			var collect func(path string, s *shape)
			collect = func(path string, s *shape) {
				got[path] = fmt.Sprint(s.form())
				for _, m := range s.members {
					collect(path+"."+m.key, m)
				}
				if s.elem != nil {
					collect(path+"[]", s.elem)
				}
			}
			collect("", p.tree.root)
			return got
		}
		first := types()
		rng.Shuffle(len(messages), func(i, j int) { messages[i], messages[j] = messages[j], messages[i] })
		if second := types(); fmt.Sprint(first) != fmt.Sprint(second) {
			t.Fatalf("seed %d: %v\nthen %v", seed, first, second)
		}
	}
}

func FuzzDecode(f *testing.F) {
	schema := `{"type":"object","properties":{"a":{"type":"integer"},"t":{"type":"object","properties":{"sec":{"type":"integer"},"nsec":{"type":"integer"}}},"b":{"type":"string","contentEncoding":"base64"},"l":{"type":"array","items":{"$ref":"#"}}}}`
	f.Add("", `{"a":1,"b":[{"c":1.5}]}`+"\n"+`{"b":[],"a":"x"}`)
	f.Add("", `[1,{"a":null}]`+"\n"+`{"a":{"b":{}}}`+"\n"+`{"a":{"b":1,"b":"x"}}`)
	f.Add(schema, `{"a":1,"t":{"sec":1,"nsec":2},"b":"AAEC","l":[{"a":1}]}`+"\n"+`{"a":1.5,"t":{"sec":1},"b":"?"}`)
	f.Add(schema, `{"t":{"nsec":1,"sec":1,"sec":2},"x":9007199254740993}`+"\n"+`{"x":1e-400,"a":5.0}`)
	f.Add(`{"anyOf":[{"type":"array","items":{"enum":[1,"a"]}},{"allOf":[true,{"prefixItems":[{}]}]}]}`, `[1]`+"\n"+`"\ud800"`+"\n\ufeff{}")
	f.Fuzz(func(t *testing.T, schema, messages string) {
		checkLossless(t, jsonschema(schema), bytes.Split([]byte(messages), []byte("\n")))
	})
}

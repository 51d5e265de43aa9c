package decodetest

import (
	"bytes"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"tapedeck/decode"
)

// Check decodes msg between rows of other messages and returns what is
// wrong with the batch then: a column that has not one value a row, or, after
// an error, one that has changed.
func Check(p decode.Plan, b *decode.Batch, msg []byte) error {
	_, wrong := check(p, b, msg)
	return wrong
}

// check does what Check does, and returns the error of msg too.
func check(p decode.Plan, b *decode.Batch, msg []byte) (refused, wrong error) {
	rows, size, given := b.Rows(), b.Size(), bytes.Clone(msg)
	refused = p.Decode(msg, b)
	if !bytes.Equal(given, msg) {
		return refused, errors.New("the message was changed")
	}
	if refused != nil {
		b.DropRow()
		if b.Rows() != rows || b.Size() != size {
			return refused, fmt.Errorf("the error %q left %d rows in %d bytes of what were %d in %d", refused, b.Rows(), b.Size(), rows, size)
		}
	} else if b.Rows() != rows+1 {
		return nil, fmt.Errorf("there are %d rows after %d", b.Rows(), rows)
	}
	return refused, consistentBatch(b)
}

// CheckBetween decodes msg between two times a sound message, and fails when
// something is wrong with the batch then (see Check) or the rows of the sound
// message are not what they are without msg. It returns the error of msg.
func CheckBetween(t testing.TB, p decode.Plan, sound, msg []byte) (refused error) {
	t.Helper()
	b := decode.NewBatch(p.Columns(), nil)
	if err := p.Decode(sound, b); err != nil {
		t.Fatal(err)
	}
	want := Rows(p, b)[0]
	refused, wrong := check(p, b, msg)
	if wrong != nil {
		t.Fatal(wrong)
	}
	if err := p.Decode(sound, b); err != nil {
		t.Fatal(err)
	}
	rows := Rows(p, b)
	for name, got := range map[string]Row{"before": rows[0], "after": rows[len(rows)-1]} {
		if diff := cmp.Diff(want, got, cmpopts.EquateNaNs()); diff != "" {
			t.Errorf("the row %s (-want +got):\n%s", name, diff)
		}
	}
	return refused
}

// CheckSchema compiles a schema and decodes messages by it, whatever they are.
// It fails when a schema is refused by an error other than decode.ErrSchema, or
// something is wrong with the batch after a message (see Check).
func CheckSchema(t testing.TB, d decode.Decoder, schema decode.Schema, messages ...[]byte) {
	t.Helper()
	plan, err := d.Compile(schema, decode.Options{})
	if err != nil {
		if !errors.Is(err, decode.ErrSchema) {
			t.Fatalf("error %v does not wrap ErrSchema", err)
		}
		return
	}
	b := decode.NewBatch(plan.Columns(), nil)
	for _, p := range []decode.Plan{plan, plan.Fork()} {
		for _, msg := range messages {
			if err := Check(p, b, msg); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// CheckForks decodes a message by many forks of a plan at once: they must share
// nothing that changes.
func CheckForks(t *testing.T, plan decode.Plan, msg []byte) {
	t.Helper()
	want := MustDecode(t, plan, msg)
	var all sync.WaitGroup
	for range 4 {
		fork := plan.Fork()
		all.Go(func() {
			for range 50 {
				got, err := Decode(fork, msg)
				if diff := cmp.Diff(want, got); err != nil || diff != "" {
					t.Errorf("%v, rows (-want +got):\n%s", err, diff)
				}
			}
		})
	}
	all.Wait()
}

// CheckBatch fails unless each column has one value a row, down to the elements
// of lists and the fields of structs.
func CheckBatch(t testing.TB, b *decode.Batch) {
	t.Helper()
	if err := consistentBatch(b); err != nil {
		t.Fatal(err)
	}
}

func consistentBatch(b *decode.Batch) error {
	for i := range b.Columns() {
		if err := consistent(b.Column(i), b.Rows()); err != nil {
			return fmt.Errorf("column %d: %w", i, err)
		}
	}
	return nil
}

func consistent(v *decode.Vector, rows int) error {
	if v.Len() != rows {
		return fmt.Errorf("a vector of %s has %d values and not %d", v.Type().SQL(), v.Len(), rows)
	}
	switch v.Type().Kind {
	case decode.List, decode.Map:
		n := 0
		if rows > 0 {
			n = v.Ends()[rows-1]
		}
		return consistent(v.Elem(), n)
	case decode.Struct:
		for i := range v.Type().Fields {
			if err := consistent(v.Field(i), rows); err != nil {
				return err
			}
		}
	}
	return nil
}

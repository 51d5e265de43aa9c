package derive

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"

	"tapedeck/internal/session"
)

const (
	// keptPoints is the number of traces at whose beginning deriving can go on.
	keptPoints = 3
	// maxCheckpoints bounds checkpoints, in bytes of JSON.
	maxCheckpoints = 32 << 20
)

// checkpoints is what Projection.Checkpoints holds, as compressed JSON.
type checkpoints struct {
	Version string
	Digest  string // of what the points take for granted, see run.digestOf
	Points  []point
}

// A point is the beginning of a trace: all that is needed to derive what follows
// without what came before.
type point struct {
	Seq   int           // of the trace
	Place session.Place // of the record that gave the event that opens it
	Opens string        // that event's key

	// Reading goes on at a record a little before, where the interpreter's state
	// was kept; events before the one that opens are passed over.
	Base       session.Place
	State      []byte
	PrefixOver bool // see transcript.ReplayPrefix

	Records, Replayed, Copies int64 // see tally
	Carried                   carried
	Pending                   session.Packed // see fold.pending
	Waiting                   []string       // calls of which an earlier trace has a Result or Spawn
	Sums                      sums           // over all earlier traces
}

var (
	zip   = sync.OnceValues(func() (*zstd.Encoder, error) { return zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1)) })
	unzip = sync.OnceValues(func() (*zstd.Decoder, error) {
		return zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(maxCheckpoints))
	})
)

func (c checkpoints) bytes() ([]byte, error) {
	text, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("writing checkpoints: %w", err)
	}
	if len(text) > maxCheckpoints {
		return nil, nil // deriving all is cheaper than keeping that
	}
	encoder, err := zip()
	if err != nil {
		return nil, fmt.Errorf("writing checkpoints: %w", err)
	}
	return encoder.EncodeAll(text, nil), nil
}

// readCheckpoints gives the points at which deriving could go on. None is always
// right, so what can't be read or was another deriver's is none.
func readCheckpoints(in Input) (digest string, points []point) {
	if len(in.Checkpoints) == 0 || in.Fresh == (session.Place{}) || in.HasSpan == nil {
		return "", nil
	}
	decoder, err := unzip()
	if err != nil {
		return "", nil
	}
	text, err := decoder.DecodeAll(in.Checkpoints, nil)
	if err != nil {
		return "", nil
	}
	var c checkpoints
	if json.Unmarshal(text, &c) != nil || c.Version != Version {
		return "", nil
	}
	return c.Digest, c.Points
}

// digestOf tells apart what points take for granted: what is known of the stream
// and its kin, and what records without a place say beside titles and facts,
// which are read each time.
func digestOf(in Input, state []byte, unplaced []session.Event) (string, error) {
	hash := sha256.New()
	write := json.NewEncoder(hash)
	if err := write.Encode([]any{in.Ref, in.Facts, in.Earlier, in.Replayed != nil, state}); err != nil {
		return "", fmt.Errorf("writing checkpoints: %w", err)
	}
	for _, e := range unplaced {
		switch e.What.(type) {
		case *session.Title, *session.Facts:
			continue
		}
		if err := write.Encode([]any{fmt.Sprintf("%T", e.What), e}); err != nil {
			return "", fmt.Errorf("writing checkpoints: %w", err)
		}
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

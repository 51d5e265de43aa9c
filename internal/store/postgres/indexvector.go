package postgres

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/jackc/pgx/v5"

	"tapedeck/internal/store"
)

// vectorLock is the advisory lock of whoever writes vectors. It is not writeLock:
// an index takes its time over vectors, and imports need not wait.
const vectorLock = writeLock + 1

// Missing implements store.VectorIndex.
func (s *Store) Missing(ctx context.Context, id int64, skip []string, limit int) ([]store.HashedText, error) {
	list := []store.HashedText{}
	var g generation
	err := s.read(ctx, func(tx pgx.Tx) (err error) {
		if g, err = s.openGeneration(ctx, tx, id); err != nil || limit < 1 {
			return err
		}
		if skip == nil {
			skip = []string{}
		}
		rows, err := tx.Query(ctx, `SELECT hash, x.text FROM tapedeck.unembedded u JOIN tapedeck.document_text x ON x.num = u.text
			WHERE u.generation = $1 AND hash <> ALL($2) ORDER BY u.started_at DESC, u.text DESC LIMIT $3`, id, skip, limit)
		if err != nil {
			return err
		}
		list, err = pgx.AppendRows(list, rows, pgx.RowToStructByPos[store.HashedText])
		return err
	})
	if err == nil && len(list) == 0 && limit > 0 && !g.graph {
		s.makeGraph(ctx, g) // all vectors are there
	}
	return list, err
}

// PutVectors implements store.VectorIndex.
func (v *vectorTables) PutVectors(ctx context.Context, id int64, vectors []store.HashVectors) error {
	return v.db.alone(ctx, vectorLock, func(tx pgx.Tx) error {
		g, err := v.openGeneration(ctx, tx, id)
		if err != nil {
			return err
		}
		chunks := make(map[string][]chunk, len(vectors))
		hashes := make([]string, 0, len(vectors))
		for _, of := range vectors {
			if _, twice := chunks[of.Hash]; !twice {
				hashes = append(hashes, of.Hash)
			}
			if chunks[of.Hash], err = g.chunksOf(of.Chunks); err != nil {
				return fmt.Errorf("vectors of text %s: %w", of.Hash, err)
			}
		}
		return g.replace(ctx, tx, hashes, chunks)
	})
}

// A chunk is one as it is stored.
type chunk struct {
	text       int64
	start, end int
	embedding  []byte
}

// chunksOf checks chunks and brings their vectors into pgvector's form.
func (g generation) chunksOf(given []store.ChunkVector) ([]chunk, error) {
	chunks := make([]chunk, len(given))
	for i, c := range given {
		if c.Start < 0 || c.End < c.Start || c.End > math.MaxInt32 {
			return nil, fmt.Errorf("a chunk from %d to %d is none", c.Start, c.End)
		}
		embedding, err := g.encode(c.Vector)
		if err != nil {
			return nil, err
		}
		chunks[i] = chunk{start: c.Start, end: c.End, embedding: embedding}
	}
	return chunks, nil
}

// encode brings a vector into the binary form that halfvec_recv takes: its width and
// two bytes that are 0, then the numbers.
func (g generation) encode(v []float32) ([]byte, error) {
	if len(v) != g.width {
		return nil, fmt.Errorf("a vector has width %d, the generation %d", len(v), g.width)
	}
	data := binary.BigEndian.AppendUint16(make([]byte, 0, 4+2*len(v)), uint16(len(v)))
	data = append(data, 0, 0)
	for _, x := range v {
		if x != x || math.IsInf(float64(x), 0) {
			return nil, fmt.Errorf("a vector has %v in it", x)
		}
		data = binary.BigEndian.AppendUint16(data, half(x))
	}
	return data, nil
}

// half is a number in 16 bits (IEEE 754), rounded; in a vector of length 1 none is
// above 1, and those below 2⁻¹⁴ count nothing.
func half(x float32) uint16 {
	bits := math.Float32bits(x)
	sign := uint16(bits >> 16 & 0x8000)
	rounded := bits&0x7fffffff + 0x1000 // half of the last place that is kept
	switch exponent := int(rounded>>23) - 127; {
	case exponent < -14:
		return sign
	case exponent > 15:
		return sign | 0x7bff
	default:
		return sign | uint16(exponent+15)<<10 | uint16(rounded>>13&0x3ff)
	}
}

// replace stores the chunks of texts, by hash. A text that is being deleted is left
// out; the others can't be until this is done.
func (g generation) replace(ctx context.Context, tx pgx.Tx, hashes []string, chunks map[string][]chunk) error {
	rows, err := tx.Query(ctx, "SELECT num, hash FROM "+g.schema+".document_text WHERE hash = ANY($1) FOR KEY SHARE SKIP LOCKED", hashes)
	if err != nil {
		return err
	}
	var texts []int64
	var list []chunk
	var num int64
	var hash string
	if _, err := pgx.ForEachRow(rows, []any{&num, &hash}, func() error {
		texts = append(texts, num)
		for _, c := range chunks[hash] {
			c.text = num
			list = append(list, c)
		}
		return nil
	}); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, "DELETE FROM "+g.table()+" WHERE text = ANY($1)", texts); err != nil {
		return err
	}
	_, err = tx.CopyFrom(ctx, pgx.Identifier{g.schema, g.name()}, []string{"text", "start_at", "end_at", "embedding"},
		pgx.CopyFromSlice(len(list), func(i int) ([]any, error) {
			return []any{list[i].text, list[i].start, list[i].end, list[i].embedding}, nil
		}))
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, "DELETE FROM "+g.schema+".unembedded WHERE generation = $1 AND text = ANY($2)", g.id, texts)
	return err
}

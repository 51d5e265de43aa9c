package body

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// shelf keeps pieces in memory, as a store does.
type shelf struct {
	stored map[ID][]byte
	refs   map[ID]int64
}

func newShelf() *shelf { return &shelf{stored: map[ID][]byte{}, refs: map[ID]int64{}} }

func (s *shelf) keep(t testing.TB, bodies ...[]byte) {
	t.Helper()
	var roots []*Piece
	for _, b := range bodies {
		roots = append(roots, Cut(b, sha256.Sum256(b)))
	}
	err := Keep(roots, func(wants []Want) error {
		for i, w := range wants {
			if wants[i].Fresh = s.refs[w.Piece.ID] == 0; wants[i].Fresh {
				s.stored[w.Piece.ID] = w.Piece.Encode(nil)
			}
			s.refs[w.Piece.ID] += w.Refs
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (s *shelf) drop(t testing.TB, body []byte) {
	t.Helper()
	err := Drop([]ID{Root(sha256.Sum256(body))}, func(less []Release) (gone [][]byte, _ error) {
		for _, r := range less {
			if s.refs[r.ID] -= r.Refs; s.refs[r.ID] == 0 {
				gone = append(gone, s.stored[r.ID])
				delete(s.stored, r.ID)
				delete(s.refs, r.ID)
			}
		}
		return gone, nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (s *shelf) read(sum Sum, size int) ([]byte, error) {
	return Read(s.stored[Root(sum)], int64(size), func(ids []ID) ([][]byte, error) {
		var found [][]byte
		for _, id := range ids {
			found = append(found, s.stored[id])
		}
		return found, nil
	})
}

func (s *shelf) bytes() (n int) {
	for _, stored := range s.stored {
		n += len(stored)
	}
	return n
}

// text is n bytes that look like what people write.
func text(seed uint64, n int) []byte {
	random := rand.New(rand.NewPCG(seed, 7))
	words := strings.Fields("the test fails because upload retries twice when server answers late so we wait for func err nil return path internal store")
	var b bytes.Buffer
	for b.Len() < n {
		fmt.Fprintf(&b, "%s%d ", words[random.IntN(len(words))], random.IntN(50))
	}
	return b.Bytes()[:n]
}

func noise(seed uint64, n int) []byte {
	random := rand.New(rand.NewPCG(seed, 9))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(random.Uint32())
	}
	return b
}

func TestBodiesComeBackExactly(t *testing.T) {
	bodies := map[string][]byte{
		"empty":      {},
		"one byte":   {0},
		"whole":      text(1, Whole),
		"one more":   text(1, Whole+1),
		"long text":  text(2, 300_000),
		"noise":      noise(3, 1_000_000),
		"all zeros":  make([]byte, 2_000_000),
		"ends short": append(text(4, 50_000), 'x'),
	}
	s := newShelf()
	for name, want := range bodies {
		t.Run(name, func(t *testing.T) {
			s.keep(t, want)
			sum := sha256.Sum256(want)
			got, err := s.read(sum, len(want))
			if err != nil || !bytes.Equal(got, want) {
				t.Fatalf("%d bytes came back as %d: %v", len(want), len(got), err)
			}
			if err := Verify(got, sum); err != nil {
				t.Error(err)
			}
		})
	}
	for _, body := range bodies {
		s.drop(t, body)
	}
	if len(s.stored) != 0 {
		t.Errorf("%d pieces are left when every body was dropped", len(s.stored))
	}
}

func TestABodyIsKeptWhileAnotherSharesIt(t *testing.T) {
	s := newShelf()
	first, second := text(1, 100_000), append(text(1, 100_000), text(2, 5_000)...)
	s.keep(t, first, second, first)
	s.drop(t, first)
	s.drop(t, first)
	got, err := s.read(sha256.Sum256(second), len(second))
	if err != nil || !bytes.Equal(got, second) {
		t.Fatalf("the longer body is gone with the shorter: %v", err)
	}
	s.drop(t, second)
	if len(s.stored) != 0 {
		t.Errorf("%d pieces are left", len(s.stored))
	}
}

func TestAGrownBodyCostsWhatIsNew(t *testing.T) {
	s := newShelf()
	history := text(1, 1_000_000)
	s.keep(t, history)
	before := s.bytes()
	s.keep(t, append(append([]byte(`{"at":"2026-01-02"`), history...), text(2, 2_000)...))
	if cost := s.bytes() - before; cost > 7_000 {
		t.Errorf("2,000 new bytes at the end and 18 at the start cost %d", cost)
	}
}

func TestDamageIsTold(t *testing.T) {
	body := text(1, 200_000)
	sum := sha256.Sum256(body)
	fresh := func() *shelf {
		s := newShelf()
		s.keep(t, body)
		return s
	}
	part := Cut(body, sum).children[1].ID
	cases := map[string]func(*shelf) (size int){
		"a piece is missing": func(s *shelf) int { delete(s.stored, part); return len(body) },
		"a piece is empty":   func(s *shelf) int { s.stored[part] = []byte{}; return len(body) },
		"a piece is foreign": func(s *shelf) int { s.stored[part] = []byte{9, 1}; return len(body) },
		"not zstd":           func(s *shelf) int { s.stored[part] = []byte{formPacked, 1, 2}; return len(body) },
		"lists in a circle": func(s *shelf) int {
			root := Root(sum)
			s.stored[root] = append([]byte{formList}, root[:]...)
			return len(body)
		},
		"lists that multiply": func(s *shelf) int {
			root := Root(sum)
			s.stored[root] = append([]byte{formList}, bytes.Repeat(root[:], most)...)
			return len(body)
		},
		"a smaller size":  func(*shelf) int { return len(body) - 1 },
		"a larger size":   func(*shelf) int { return len(body) + 1 },
		"a negative size": func(*shelf) int { return -1 },
	}
	for name, damage := range cases {
		t.Run(name, func(t *testing.T) {
			s := fresh()
			size := damage(s)
			if _, err := s.read(sum, size); !errors.Is(err, ErrDamaged) {
				t.Errorf("read: %v, want ErrDamaged", err)
			}
		})
	}
	if err := Verify(body[1:], sum); !errors.Is(err, ErrDamaged) {
		t.Errorf("verify: %v, want ErrDamaged", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte{formPlain, 'a'}, int64(1))
	f.Add([]byte{formPacked, 0x28, 0xb5, 0x2f, 0xfd}, int64(9))
	f.Add(append([]byte{formList}, make([]byte, 32)...), int64(1<<40))
	f.Fuzz(func(t *testing.T, stored []byte, size int64) {
		size %= 1 << 20
		content, err := Read(stored, size, func(ids []ID) ([][]byte, error) {
			return [][]byte{stored, {formPlain, 'x'}}[:min(len(ids), 2)], nil
		})
		if err == nil && int64(len(content)) != size {
			t.Errorf("%d bytes for a body of %d", len(content), size)
		}
	})
}

func BenchmarkKeep(b *testing.B) {
	for _, size := range []int{1_000, 3_000, 20_000, 1_000_000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			all := text(1, 64<<20)
			b.SetBytes(int64(size))
			at := 0
			for b.Loop() {
				if at+size > len(all) {
					at = 0
				}
				body := all[at : at+size]
				at += size
				s := newShelf()
				s.keep(b, body)
			}
		})
	}
}

func BenchmarkRead(b *testing.B) {
	s := newShelf()
	body := text(1, 1_000_000)
	sum := sha256.Sum256(body)
	s.keep(b, body)
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		if _, err := s.read(sum, len(body)); err != nil {
			b.Fatal(err)
		}
	}
}

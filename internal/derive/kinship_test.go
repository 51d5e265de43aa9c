package derive

import (
	"testing"

	"tapedeck/internal/session"
)

func TestOfTwoStreamsOneIsEarlier(t *testing.T) {
	refs := []session.Ref{{Harness: "a", Key: "b:c"}, {Harness: "a:b", Key: "c"}, {Harness: "a", Key: "d"}}
	var facts []session.StreamFacts
	facts = append(facts, session.StreamFacts{})
	for _, r := range refs {
		facts = append(facts, session.StreamFacts{ForkedFrom: &r})
	}
	for _, self := range refs {
		for _, other := range refs {
			if self == other {
				continue
			}
			for _, sf := range facts {
				for _, of := range facts {
					for _, own := range [][2]int64{{0, 0}, {0, 5}, {5, 0}, {5, 5}, {5, 9}, {9, 5}, {-1, 0}} {
						k := Kinship{self, other, sf, of, own[0], own[1]}
						back := Kinship{other, self, of, sf, own[1], own[0]}
						if OtherIsEarlier(k) == OtherIsEarlier(back) {
							t.Fatalf("%+v: both say %t", k, OtherIsEarlier(k))
						}
					}
				}
			}
		}
	}
}

func TestOtherIsEarlier(t *testing.T) {
	a, b := session.Ref{Harness: "h", Key: "a"}, session.Ref{Harness: "h", Key: "b"}
	from := func(r session.Ref) session.StreamFacts { return session.StreamFacts{ForkedFrom: &r} }
	for _, test := range []struct {
		name string
		k    Kinship
		want bool
	}{
		{"self says so", Kinship{Self: a, Other: b, SelfFacts: from(b), FirstOwn: 1, FirstOwnOther: 9}, true},
		{"the other says it isn't", Kinship{Self: a, Other: b, OtherFacts: from(a), FirstOwn: 9, FirstOwnOther: 1}, false},
		{"the other has nothing of its own", Kinship{Self: a, Other: b, FirstOwn: 9}, true},
		{"self has nothing of its own", Kinship{Self: a, Other: b, FirstOwnOther: 1}, false},
		{"the other went on first", Kinship{Self: a, Other: b, FirstOwn: 9, FirstOwnOther: 8}, true},
		{"by name", Kinship{Self: b, Other: a}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := OtherIsEarlier(test.k); got != test.want {
				t.Errorf("got %t", got)
			}
		})
	}
}

package derive

import (
	"cmp"

	"tapedeck/internal/session"
)

// A Kinship is two streams that share records.
type Kinship struct {
	Self, Other           session.Ref
	SelfFacts, OtherFacts session.StreamFacts
	// FirstOwn and FirstOwnOther: see store.Sibling.
	FirstOwn, FirstOwnOther int64
}

// OtherIsEarlier reports whether the shared records are the other stream's, and
// this one's copies of them. Of two different streams exactly one is earlier,
// whichever is asked.
func OtherIsEarlier(k Kinship) bool {
	selfSays := forkedFrom(k.SelfFacts, k.Other)
	otherSays := forkedFrom(k.OtherFacts, k.Self)
	if selfSays != otherSays {
		return selfSays
	}
	// A stream with nothing of its own was copied whole; else the one that went on
	// first is the original, since a fork goes on after it was made.
	if (k.FirstOwn == 0) != (k.FirstOwnOther == 0) {
		return k.FirstOwnOther == 0
	}
	return cmp.Or(
		cmp.Compare(k.FirstOwnOther, k.FirstOwn),
		cmp.Compare(k.Other.String(), k.Self.String()),
		cmp.Compare(k.Other.Harness, k.Self.Harness),
	) < 0
}

func forkedFrom(facts session.StreamFacts, ref session.Ref) bool {
	return facts.ForkedFrom != nil && *facts.ForkedFrom == ref
}

// Package storetest holds the tests that define what a store.Store does. Each
// implementation runs them, so that both give equal answers.
//
// [Dump] tells whether two stores hold the same; other packages' tests use it too.
package storetest

import (
	"context"
	"testing"

	"tapedeck/internal/store"
)

// Open opens a new, empty store twice, as two processes would. It closes both
// when the test ends.
type Open func(t *testing.T) (first, second store.Store)

// A Damage is a way in which a store can be broken.
type Damage string

const (
	DamageBody   Damage = "a stored body is changed"
	DamagePiece  Damage = "a body that records refer to is missing"
	DamageSum    Damage = "a session's tokens are changed"
	DamageTraces Damage = "a trace of a session is missing"
)

// Damages are all of them.
var Damages = []Damage{DamageBody, DamagePiece, DamageSum, DamageTraces}

// A Damager is a store that can break itself, so that what Check finds can be
// tested. Stores that the suite gets should be ones.
type Damager interface {
	Damage(context.Context, Damage) error
}

// Run runs all tests.
func Run(t *testing.T, open Open) {
	for _, test := range []struct {
		name string
		run  func(*testing.T, Open)
	}{
		{"an empty store answers", testEmpty},
		{"records come back exactly", testExact},
		{"records are taken once", testOnce},
		{"one version counts", testVersions},
		{"records are read in their order", testOrder},
		{"the least place counts", testLeastPlace},
		{"records about others are read with them", testAbout},
		{"facts are merged", testFacts},
		{"sources are noted", testSources},
		{"what is fresh is told", testFresh},
		{"siblings share origins", testSiblings},
		{"siblings are derived again", testSiblingsChange},
		{"the order of arrival makes no difference", testArrival},
		{"pending streams", testPending},
		{"projections come back", testProject},
		{"a projection of changed records is refused", testProjectChanged},
		{"part of a projection", testProjectPart},
		{"sessions that are no longer derived", testProjectGone},
		{"a thread that has a stream", testThreadWithStream},
		{"spans are found", testHasSpan},
		{"derived again", testRederive},
		{"identifiers", testIdentifiers},
		{"sessions are filtered and sorted", testSessions},
		{"listings page", testPaging},
		{"foreign cursors", testCursors},
		{"names", testRename},
		{"children and rollup", testChildren},
		{"links", testLinks},
		{"stats", testStats},
		{"deletion", testDelete},
		{"deletion of what others share", testDeleteShared},
		{"deletion inside of a stream", testDeleteInside},
		{"tombstones", testTombstones},
		{"restoring", testRestore},
		{"info", testInfo},
		{"damage is found", testCheck},
		{"a repeated history", testHistory},
		{"two processes at once", testConcurrent},
		{"cancelling", testCancel},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, open) })
	}
}

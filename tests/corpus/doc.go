// Package corpus holds the whole robot road against recordings that nobody
// here made, with the right answers from other implementations. The recordings
// lie outside of the repository; without them the tests skip.
package corpus

// Package searchquality measures how well searches find what people judged right,
// and how fast: with each store, over the collections of the corpus (abstracts of
// papers) and over its agents' sessions, which are imported as a user imports them
// and asked the questions of questions.json.
//
// `make test` measures the embedder that is built in. `make bench-search` measures
// the server of scripts/embedder as well (the flag -server), which takes half an
// hour or more.
//
// The sessions are few, and one reader wrote and judged the questions: a difference
// of a hundredth between two figures says nothing.
package searchquality

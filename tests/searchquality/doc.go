// Package searchquality measures how well searches find what people judged right,
// over the collections of the corpus, with each store and the embedder that is
// built in.
package searchquality

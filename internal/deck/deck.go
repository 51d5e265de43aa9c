// Package deck holds the operations that every face offers: list, describe,
// load and question recordings. The command line, MCP and HTTP call these
// functions and add nothing but their form.
//
// It does not decode, store or execute: it brings library, table and query
// together, checks what callers give, and turns failures into [Error]s that say
// what to do next.
package deck

import (
	"context"
)

// Progress tells how far long work is. Total is 0 while unknown.
type Progress func(done, total uint64, what string)

// Operations are what the faces call. A Deck implements them; faces take the
// interface so that each is tested apart.
type Operations interface {
	ListRecordings(ctx context.Context, r ListRequest, p Progress) (*RecordingList, error)
	RecordingInfo(ctx context.Context, file string) (*RecordingInfo, error)
	Schema(ctx context.Context, file, topic string) (*RecordingSchema, error)
	Load(ctx context.Context, r LoadRequest, p Progress) (*LoadResult, error)
	Query(ctx context.Context, r QueryRequest) (*QueryResult, error)
	Version() Version
}

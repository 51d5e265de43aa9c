package mcpserver

import (
	"cmp"
	"context"
	"fmt"

	"tapedeck/internal/deck"
)

// envelopeRoom is what columns, types and counts take of an answer beside its rows.
const envelopeRoom = 2000

func query(opt Options) tool {
	return tool{
		name:  "query",
		title: "Query loaded tables",
		description: "Run one DuckDB SQL statement that reads: SELECT, DESCRIBE, SUMMARIZE, SHOW TABLES, PIVOT. " +
			"Rows come as arrays; truncated tells when they were cut. Aggregate rather than fetch rows. " +
			"Join topics by time: FROM a ASOF JOIN b ON a.timestamp_us >= b.timestamp_us. " +
			"_metadata holds a recording's metadata, _recordings what is loaded.",
		params: []param{
			{name: "sql", kind: text, required: true, about: "One statement"},
			{name: "limit", kind: integer, min: 1, max: float64(opt.MaxRows),
				about: fmt.Sprintf("Most rows to return; default %d", opt.DefaultRows)},
			{name: "max_bytes", kind: integer, min: 1, max: float64(opt.MaxAnswerBytes), about: "Most bytes of rows to return"},
			{name: "timeout_s", kind: number, min: 0.1, about: "Seconds it may take, below the server's own limit"},
		},
		output: outputSchema[deck.QueryResult](),
		run:    runQuery,
	}
}

func runQuery(ctx context.Context, c *call) (*answer, error) {
	stop := heartbeat(c.progress, "seconds of querying")
	defer stop()
	found, err := c.ops.Query(ctx, deck.QueryRequest{
		SQL:      c.args.text("sql"),
		Limit:    c.args.integer("limit"),
		MaxBytes: cmp.Or(c.args.integer("max_bytes"), c.maxBytes-min(envelopeRoom, c.maxBytes/10)),
		TimeoutS: c.args.number("timeout_s"),
	})
	if err != nil {
		return nil, err
	}
	shown := *found
	shown.Columns, shown.Types, shown.Rows = list(shown.Columns), list(shown.Types), list(shown.Rows)
	return &answer{data: &shown}, nil
}

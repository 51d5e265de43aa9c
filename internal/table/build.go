package table

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"tapedeck/decode"
	"tapedeck/internal/duckdb"
	"tapedeck/internal/recording"
)

// catalog is the name under which a load's own database is attached while it is made.
const catalog = "load"

func qualified(table string) string { return catalog + ".main." + decode.QuoteIdent(table) }

// smallRecording is the size in bytes up to which tables are written in small
// blocks: a table takes at least one block, and a small recording of many
// topics would be mostly padding. Large tables compress better in large blocks.
const smallRecording = 16 << 20

// builder makes the tables of one load in a database file.
type builder struct {
	source   Source
	options  Options
	decoders []decode.Decoder
	memoryMB int
	progress Progress

	conn     *duckdb.Conn
	warnings []recording.Warning
}

// build writes the tables of the selected topics to a new database file at
// path, spilling into the folder spill, and returns what it made.
func (b *builder) build(ctx context.Context, path, spill string) (*Manifest, error) {
	db, err := duckdb.Open("", map[string]string{
		"threads": strconv.Itoa(workers), "memory_limit": fmt.Sprintf("%dMB", b.memoryMB), "temp_directory": spill,
		"autoinstall_known_extensions": "false", "autoload_known_extensions": "false",
	})
	if err != nil {
		return nil, err
	}
	defer db.Close()
	if b.conn, err = db.Connect(); err != nil {
		return nil, err
	}
	defer b.conn.Close()
	defer b.conn.InterruptWhenDone(ctx)()

	manifest, err := b.tables(ctx, path)
	if ctx.Err() != nil {
		return nil, ctx.Err() // an interrupted statement's own error says less
	}
	if engine, ok := errors.AsType[*duckdb.Error](err); ok && engine.OutOfMemory() {
		return nil, &MemoryError{LimitMB: b.memoryMB, Err: err}
	}
	return manifest, err
}

func (b *builder) tables(ctx context.Context, path string) (*Manifest, error) {
	all := plan(b.source.Summary.Channels, b.decoders, b.options)
	var topics []*topic
	for _, t := range all {
		if len(t.plans) > 0 {
			topics = append(topics, t)
		}
	}
	layout := b.layout(topics)
	// Checkpoints while the tables grow would write the same blocks again.
	if err := b.conn.Exec("SET checkpoint_threshold = '1TB'; " + attach(path, catalog, layout)); err != nil {
		return nil, err
	}
	made, err := b.passes(ctx, topics)
	if err != nil {
		return nil, err
	}
	if err := b.metadata(); err != nil {
		return nil, err
	}
	if err := b.conn.Exec("CHECKPOINT " + catalog); err != nil {
		return nil, err
	}
	if err := b.compact(ctx, path, layout); err != nil {
		return nil, err
	}
	return b.manifest(all, made), nil
}

// layout says how the engine lays rows out in the file. A row group is written
// when it is full, and until then it is in memory: where messages are large, as
// images are, it must be small.
func (b *builder) layout(topics []*topic) string {
	blockSize, rowGroup := 262144, 122880 // the engine's own
	if b.source.Summary.Size <= smallRecording {
		blockSize = 16384
	}
	if slices.ContainsFunc(topics, func(t *topic) bool { return !t.omit && meanSize(t.channels) > largeMessage }) {
		rowGroup = duckdb.VectorSize
	}
	return fmt.Sprintf("BLOCK_SIZE %d, ROW_GROUP_SIZE %d", blockSize, rowGroup)
}

func attach(path, name, layout string) string {
	return fmt.Sprintf("ATTACH %s AS %s (%s)", duckdb.QuoteText(path), name, layout)
}

// sampleBudget bounds the look at messages before a first pass over topics
// whose columns depend on them.
var sampleBudget = budget{messages: 256 << 10, file: 64 << 20}

// maxPasses bounds the passes: one in hope, one after all messages were
// observed or with a column to sort by, one when both are needed in turn.
const maxPasses = 4

// passes fills the tables. The first pass hopes that messages lie in order and
// that JSON keeps to what its schema or its first messages show; tables for
// which that is not so are made again, knowing better.
func (b *builder) passes(ctx context.Context, topics []*topic) ([]*target, error) {
	sample := make([]*topic, 0, len(topics))
	for _, t := range topics {
		if !t.settled() {
			sample = append(sample, t)
		}
	}
	if _, err := observe(ctx, b.source, b.options, sample, sampleBudget); err != nil {
		return nil, err
	}
	var made []*target
	sorts := !b.source.Summary.Ordered
	for n := 0; len(topics) > 0; n++ {
		if n == maxPasses {
			return nil, errors.New("tables changed in every pass over the recording")
		}
		for _, t := range topics {
			t.layOut(b.options.MessageColumns)
		}
		p := newPass(b.conn, b.source, b.options, topics, sorts, b.progress)
		warnings, err := p.run(ctx)
		if err != nil {
			return nil, err
		}
		if n == 0 {
			b.warnings = warnings
		}
		var again, widen []*topic
		for _, t := range p.targets {
			switch {
			case t.widen:
				again, widen = append(again, t.topic), append(widen, t.topic)
			case t.abandoned.Load():
				again = append(again, t.topic)
			default:
				if err := p.finish(t); err != nil {
					return nil, err
				}
				made = append(made, t)
			}
		}
		if _, err := observe(ctx, b.source, b.options, widen, unbounded); err != nil {
			return nil, err
		}
		topics, sorts = again, true
	}
	return made, nil
}

// finish puts a table in order and takes the order column away.
func (p *pass) finish(t *target) error {
	if !p.sorts {
		return nil
	}
	name, order := qualified(t.table), decode.QuoteIdent(orderColumn)
	every := p.options.every()
	if !t.disordered && every == 1 {
		return p.conn.Exec(fmt.Sprintf("ALTER TABLE %s DROP COLUMN %s", name, order))
	}
	sorted := "sorted\x01"
	keep := ""
	if every > 1 { // counted over the row ids alone: a window over all columns holds all of them
		keep = fmt.Sprintf("WHERE rowid IN (SELECT id FROM (SELECT rowid AS id, row_number() OVER (ORDER BY %s, rowid) - 1 AS n FROM %s) WHERE n %% %d = 0)", order, name, every)
		t.rows = (t.rows + every - 1) / every
	}
	return p.conn.Exec(fmt.Sprintf("CREATE TABLE %s AS SELECT * EXCLUDE (%s) FROM %s %s ORDER BY %s, rowid; DROP TABLE %s; ALTER TABLE %s RENAME TO %s",
		qualified(sorted), order, name, keep, order, name, qualified(sorted), decode.QuoteIdent(t.table)))
}

// metadata writes the recording's metadata records to their table.
func (b *builder) metadata() error {
	if err := b.conn.Exec("CREATE TABLE " + qualified(MetadataTable) + " (record_name VARCHAR, key VARCHAR, value VARCHAR)"); err != nil {
		return err
	}
	text := decode.Scalar(decode.String)
	batch := decode.NewBatch([]decode.Column{{Name: "record_name", Type: text}, {Name: "key", Type: text}, {Name: "value", Type: text}}, nil)
	for _, record := range b.source.Summary.Metadata {
		for _, key := range sortedKeys(record.Values) {
			batch.Column(0).AppendString(record.Name)
			batch.Column(1).AppendString(key)
			batch.Column(2).AppendString(record.Values[key])
			batch.CloseRow()
		}
	}
	appender, err := b.conn.NewAppender(catalog, MetadataTable)
	if err != nil {
		return err
	}
	err = appender.Append([]*decode.Vector{batch.Column(0), batch.Column(1), batch.Column(2)}, batch.Rows())
	return errors.Join(err, appender.Close())
}

package table

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"tapedeck/decode"
	"tapedeck/internal/duckdb"
)

// maxBuffered bounds what the appenders hold together, in bytes of messages.
// The engine itself empties an appender only after 204,800 rows, of whatever
// size, and each table has one.
const maxBuffered = 128 << 20

// target is a topic with its table in the making.
type target struct {
	*topic
	index     int // in pass.targets
	appender  *duckdb.Appender
	vectors   []*decode.Vector // by column, reused from part to part
	rows      uint64
	last      uint64 // latest log time of the messages so far
	any       bool
	buffered  int // bytes of messages whose rows the appender holds
	undecoded uint64
	reason    string

	disordered bool        // messages lie out of log-time order
	widen      bool        // a message does not fit the columns
	abandoned  atomic.Bool // the table will be made again: nothing more of it is needed
	free       sync.Pool   // of *part
}

// append adds a part's rows to its table.
func (p *pass) append(part *part) error {
	t := part.target
	t.take(part)
	if t.disordered && !p.sorts || t.widen {
		t.abandoned.Store(true)
	}
	if t.abandoned.Load() || part.own.Rows() == 0 {
		return nil
	}
	clear(t.vectors)
	for i := range t.own {
		t.vectors[i] = part.own.Column(i)
	}
	if p.sorts {
		t.vectors[len(t.vectors)-1] = part.own.Column(t.own)
	}
	for i, place := range t.plans[part.plan].place {
		t.vectors[place] = part.rows.Column(i)
	}
	if err := t.appender.Append(t.vectors, part.own.Rows()); err != nil {
		return err
	}
	t.rows += uint64(part.own.Rows())
	t.buffered += part.bytes
	p.buffered += part.bytes
	p.recycle(part)
	if p.buffered > maxBuffered {
		return p.flush()
	}
	return nil
}

// flush empties the appender that holds most.
func (p *pass) flush() error {
	most := slices.MaxFunc(p.targets, func(a, b *target) int { return cmp.Compare(a.buffered, b.buffered) })
	p.buffered -= most.buffered
	most.buffered = 0
	return errors.Join(most.appender.Close(), p.openAppender(most))
}

// take adds what a part says of its messages to what the target knows.
func (t *target) take(p *part) {
	if p.seen {
		if p.disordered || t.any && p.first < t.last {
			t.disordered = true
		}
		t.any, t.last = true, max(t.last, p.last)
	}
	if p.undecoded > 0 && t.undecoded == 0 {
		t.reason = p.reason
	}
	t.undecoded += p.undecoded
	t.widen = t.widen || p.widen
}

// begin makes the tables. All of a pass is one transaction: a commit for each of
// thousands of tables takes longer than filling them, and row groups that are
// full go to the file at once while those of a commit wait for a checkpoint.
func (p *pass) begin() error {
	if err := p.conn.Exec("BEGIN"); err != nil {
		return err
	}
	return p.createTables()
}

func (p *pass) commit() error {
	if err := p.closeAppenders(); err != nil {
		return err
	}
	return p.conn.Exec("COMMIT")
}

func (p *pass) createTables() error {
	for _, t := range p.targets {
		columns := make([]string, 0, len(t.columns)+1)
		for _, c := range t.columns {
			columns = append(columns, decode.QuoteIdent(c.Name)+" "+c.Type)
		}
		if p.sorts {
			columns = append(columns, decode.QuoteIdent(orderColumn)+" UBIGINT")
		}
		if err := p.conn.Exec("CREATE OR REPLACE TABLE " + qualified(t.table) + " (" + strings.Join(columns, ", ") + ")"); err != nil {
			return err
		}
		if err := p.openAppender(t); err != nil {
			return err
		}
		t.vectors = make([]*decode.Vector, len(columns))
	}
	return nil
}

func (p *pass) openAppender(t *target) (err error) {
	t.appender, err = p.conn.NewAppender(catalog, t.table)
	return err
}

func (p *pass) closeAppenders() error {
	var first error
	for _, t := range p.targets {
		if t.appender == nil {
			continue
		}
		if err := t.appender.Close(); err != nil && first == nil {
			first = err
		}
		t.appender = nil
	}
	return first
}

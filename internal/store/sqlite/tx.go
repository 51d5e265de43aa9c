package sqlite

import (
	"context"
	"fmt"
)

// write runs do in a transaction that writes, alone among all processes. It
// leaves nothing behind when do fails or ctx ends.
func (s *Store) write(ctx context.Context, do func(*conn) error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var c *conn
	select {
	case c = <-s.writer:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { s.writer <- c }()

	c.ctx = ctx
	if err := c.script("BEGIN IMMEDIATE"); err != nil {
		return fmt.Errorf("waiting to write: %w", err)
	}
	// The driver watches a context that can end with a goroutine a statement;
	// here statements are short and many.
	c.ctx = context.WithoutCancel(ctx)
	committed := false
	defer func() {
		if !committed {
			c.script("ROLLBACK")
		}
	}()
	if err := do(c); err != nil {
		return err
	}
	if err := c.settle(); err != nil {
		return fmt.Errorf("index: %w", err)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err := c.script("COMMIT"); err != nil {
		return fmt.Errorf("committing: %w", err)
	}
	committed = true
	return nil
}

// read runs do in a transaction that sees one moment's state.
func (s *Store) read(ctx context.Context, do func(*conn) error) error {
	c, err := s.reader(ctx)
	if err != nil {
		return err
	}
	defer s.release(c)
	if err := c.script("BEGIN"); err != nil {
		return err
	}
	defer func() {
		c.ctx = context.WithoutCancel(ctx)
		c.script("ROLLBACK")
	}()
	return do(c)
}

// reader is a connection for reading that nobody uses. There is always one to be
// had: a caller that reads records may read other things between them.
func (s *Store) reader(ctx context.Context) (*conn, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	select {
	case c := <-s.readers:
		c.ctx = ctx
		return c, nil
	default:
		return openConn(ctx, s.dsn, readerPragmas)
	}
}

func (s *Store) release(c *conn) {
	select {
	case s.readers <- c:
	default:
		c.Close()
	}
}

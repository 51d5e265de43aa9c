package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"tapedeck/internal/store"
)

// followPage is how many changed traces are taken over at a time.
const followPage = 500

// Follow implements store.DistantVectors.
func (v *Vectors) Follow(ctx context.Context) error {
	v.following.Lock()
	defer v.following.Unlock()
	if err := v.ready(ctx); err != nil {
		return err
	}
	for {
		if now, err := v.documents.Followed(ctx); err != nil || now == v.checked {
			return err
		}
		state, err := v.documents.IndexState(ctx)
		if err != nil {
			return err
		}
		followed, err := v.followed(ctx)
		switch {
		case err != nil:
			return err
		case followed > state.Latest: // the documents are of an earlier time: a backup perhaps
			err = v.beginAnew(ctx, followed)
		case followed > state.Followed: // another process was faster, or documents are being made again
			return nil
		case followed < state.Followed:
			err = v.followSome(ctx, followed, state.Followed)
		default:
			err = v.settle(ctx, state)
		}
		if err != nil {
			return err
		}
	}
}

// followed is the last change that was taken over.
func (v *Vectors) followed(ctx context.Context) (seq int64, err error) {
	err = v.read(ctx, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, "SELECT followed FROM "+v.schema+".follow_state").Scan(&seq)
	})
	return seq, err
}

// followSome takes over some of the changes after one, up to another.
func (v *Vectors) followSome(ctx context.Context, after, upTo int64) error {
	changes, err := v.documents.Changes(ctx, after, followPage)
	if err != nil {
		return err
	}
	var traces []string
	last := upTo // also where the changes up to it became later ones
	for _, change := range changes {
		if change.Seq > upTo {
			break
		}
		traces = append(traces, change.TraceID)
		if len(traces) == followPage {
			last = change.Seq
		}
	}
	texts, err := v.documents.TraceTexts(ctx, traces)
	if err != nil {
		return err
	}
	return v.take(ctx, after, last, traces, texts)
}

// take replaces the documents of traces, unless another process was faster.
func (v *Vectors) take(ctx context.Context, after, upTo int64, traces []string, texts []store.TraceText) error {
	return v.write(ctx, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, "UPDATE "+v.schema+".follow_state SET followed = $1 WHERE followed = $2", upTo, after)
		if err != nil || tag.RowsAffected() == 0 {
			return err
		}
		before, err := v.unlink(ctx, tx, "trace_id = ANY($1)", traces)
		if err != nil {
			return err
		}
		if err := v.link(ctx, tx, texts); err != nil {
			return err
		}
		return v.dropUnused(ctx, tx, before)
	})
}

// unlink deletes documents, and returns their texts.
func (v *Vectors) unlink(ctx context.Context, tx pgx.Tx, which string, ids []string) ([]int64, error) {
	rows, err := tx.Query(ctx, "DELETE FROM "+v.schema+".document WHERE "+which+" RETURNING text", ids)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[int64])
}

// link inserts documents. Texts that are new have no vectors in any generation.
func (v *Vectors) link(ctx context.Context, tx pgx.Tx, texts []store.TraceText) error {
	traces, sessions, hashes, started := make([]string, len(texts)), make([]string, len(texts)), make([]string, len(texts)), make([]int64, len(texts))
	for i, t := range texts {
		traces[i], sessions[i], hashes[i], started[i] = t.TraceID, t.SessionID, t.Hash, int64(t.StartedAt)
	}
	rows, err := tx.Query(ctx, fmt.Sprintf(`INSERT INTO %s.document_text (hash, started_at)
		SELECT DISTINCT ON (hash) hash, started_at FROM unnest($1::text[], $2::bigint[]) v (hash, started_at)
		ON CONFLICT (hash) DO NOTHING RETURNING num`, v.schema), hashes, started)
	if err != nil {
		return err
	}
	fresh, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, fmt.Sprintf(`INSERT INTO %[1]s.unembedded (generation, started_at, text)
		SELECT generation.id, started_at, num FROM %[1]s.generation, %[1]s.document_text WHERE num = ANY($1)`, v.schema), fresh)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, fmt.Sprintf(`INSERT INTO %[1]s.document (trace_id, session_id, text)
		SELECT trace_id, session_id, num FROM unnest($1::text[], $2::text[], $3::text[]) v (trace_id, session_id, hash)
		JOIN %[1]s.document_text x ON x.hash = v.hash`, v.schema), traces, sessions, hashes)
	return err
}

// dropUnused deletes those of the texts that no document has, with their vectors.
func (v *Vectors) dropUnused(ctx context.Context, tx pgx.Tx, texts []int64) error {
	_, err := tx.Exec(ctx, fmt.Sprintf(`DELETE FROM %[1]s.document_text x WHERE num = ANY($1)
		AND NOT EXISTS (SELECT FROM %[1]s.document d WHERE d.text = x.num)`, v.schema), texts)
	return err
}

// settle looks whether all documents are there, now that all their changes were taken
// over. They are not if the documents' store was put back to an earlier state and
// went on from there, so that changes have numbers that others had.
func (v *Vectors) settle(ctx context.Context, state store.IndexState) error {
	var followed, documents int64
	var sweep bool
	err := v.read(ctx, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, fmt.Sprintf("SELECT followed, sweep, (SELECT count(*) FROM %[1]s.document) FROM %[1]s.follow_state", v.schema)).
			Scan(&followed, &sweep, &documents)
	})
	switch {
	case err != nil || followed != state.Followed:
		return err
	case state.Behind == 0 && documents != state.Documents && !sweep:
		if now, err := v.documents.IndexState(ctx); err != nil || now != state { // something was deleted in between
			return err
		}
		return v.beginAnew(ctx, followed)
	case sweep:
		if err := v.sweep(ctx); err != nil {
			return err
		}
	}
	v.checked = state.Followed
	return nil
}

// beginAnew forgets which documents there are; their texts stay, with the vectors,
// until it is known again which of them are needed.
func (v *Vectors) beginAnew(ctx context.Context, followed int64) error {
	v.log.WarnContext(ctx, "the vectors do not go with the documents, which may come from a backup: they are compared anew", "where", v.location)
	return v.write(ctx, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, "UPDATE "+v.schema+".follow_state SET followed = 0, sweep = true WHERE followed = $1", followed)
		if err != nil || tag.RowsAffected() == 0 {
			return err
		}
		_, err = tx.Exec(ctx, "DELETE FROM "+v.schema+".document")
		return err
	})
}

// sweep deletes all texts that no document has.
func (v *Vectors) sweep(ctx context.Context) error {
	return v.write(ctx, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, fmt.Sprintf("DELETE FROM %[1]s.document_text x WHERE NOT EXISTS (SELECT FROM %[1]s.document d WHERE d.text = x.num)", v.schema))
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, "UPDATE "+v.schema+".follow_state SET sweep = false")
		return err
	})
}

// Forget implements store.DistantVectors.
func (v *Vectors) Forget(ctx context.Context, sessionIDs []string) error {
	if err := v.ready(ctx); err != nil {
		return err
	}
	return v.write(ctx, func(tx pgx.Tx) error {
		before, err := v.unlink(ctx, tx, "session_id = ANY($1)", sessionIDs)
		if err != nil {
			return err
		}
		return v.dropUnused(ctx, tx, before)
	})
}

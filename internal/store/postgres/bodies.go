package postgres

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"tapedeck/internal/store/body"
)

// keepBodies keeps the bodies with these roots.
func keepBodies(ctx context.Context, tx pgx.Tx, roots []*body.Piece) error {
	return body.Keep(roots, func(wants []body.Want) error {
		ids := make([]body.ID, len(wants))
		refs := make([]int64, len(wants))
		for i, w := range wants {
			ids[i], refs[i] = w.Piece.ID, w.Refs
		}
		known, err := addReferences(ctx, tx, ids, refs)
		if err != nil {
			return err
		}
		fresh := make([]*body.Want, 0, len(wants)-len(known))
		for i := range wants {
			if !known[wants[i].Piece.ID] {
				wants[i].Fresh = true
				fresh = append(fresh, &wants[i])
			}
		}
		return insertPieces(ctx, tx, fresh)
	})
}

// addReferences adds references to the pieces that are there, and tells which
// are.
func addReferences(ctx context.Context, tx pgx.Tx, ids []body.ID, refs []int64) (map[body.ID]bool, error) {
	rows, err := tx.Query(ctx, `UPDATE tapedeck.piece_refs p SET refs = p.refs + more.refs
		FROM unnest($1::uuid[], $2::bigint[]) AS more (id, refs) WHERE p.id = more.id RETURNING p.id`, uuids(ids), refs)
	if err != nil {
		return nil, err
	}
	known := make(map[body.ID]bool)
	var id [16]byte
	_, err = pgx.ForEachRow(rows, []any{&id}, func() error {
		known[id] = true
		return nil
	})
	return known, err
}

func insertPieces(ctx context.Context, tx pgx.Tx, fresh []*body.Want) error {
	err := copyIn(ctx, tx, "piece", "id, stored", fresh, func(w **body.Want) []any {
		return []any{[16]byte((*w).Piece.ID), (*w).Piece.Encode(nil)}
	})
	if err != nil {
		return err
	}
	return copyIn(ctx, tx, "piece_refs", "id, refs", fresh, func(w **body.Want) []any {
		return []any{[16]byte((*w).Piece.ID), (*w).Refs}
	})
}

// dropBodies takes one reference from each of these roots.
func dropBodies(ctx context.Context, tx pgx.Tx, roots []body.ID) error {
	return body.Drop(roots, func(less []body.Release) ([][]byte, error) {
		ids := make([]body.ID, len(less))
		refs := make([]int64, len(less))
		for i, l := range less {
			ids[i], refs[i] = l.ID, -l.Refs
		}
		if _, err := addReferences(ctx, tx, ids, refs); err != nil {
			return nil, err
		}
		rows, err := tx.Query(ctx, `WITH gone AS (
				DELETE FROM tapedeck.piece_refs WHERE id = ANY($1::uuid[]) AND refs <= 0 RETURNING id
			) DELETE FROM tapedeck.piece USING gone WHERE piece.id = gone.id RETURNING piece.stored`, uuids(ids))
		if err != nil {
			return nil, err
		}
		return pgx.CollectRows(rows, pgx.RowTo[[]byte])
	})
}

// uuids are IDs in the form in which they are sent.
func uuids(ids []body.ID) [][16]byte {
	list := make([][16]byte, len(ids))
	for i, id := range ids {
		list[i] = id
	}
	return list
}

// A bodyReader reads bodies, some at a time. It asks for the pieces of all of
// them at once, where it can.
type bodyReader struct {
	ctx    context.Context
	tx     pgx.Tx
	pieces map[body.ID][]byte // that were fetched ahead
}

// readBodies reads the bodies with these roots and sizes.
func readBodies(ctx context.Context, tx pgx.Tx, roots []body.ID, sizes []int64) ([][]byte, error) {
	r := bodyReader{ctx: ctx, tx: tx}
	stored, err := r.load(roots)
	if err != nil {
		return nil, err
	}
	var children []body.ID
	for _, id := range roots {
		children = append(children, body.References(stored[id])...)
	}
	if r.pieces, err = r.load(children); err != nil {
		return nil, err
	}
	bodies := make([][]byte, len(roots))
	for i, id := range roots {
		if bodies[i], err = body.Read(stored[id], sizes[i], r.fetch); err != nil {
			return nil, fmt.Errorf("body %x: %w", id, err)
		}
	}
	return bodies, nil
}

// fetch gives the stored forms of pieces, in their order.
func (r bodyReader) fetch(ids []body.ID) ([][]byte, error) {
	pieces := r.pieces
	if slices.ContainsFunc(ids, func(id body.ID) bool { return pieces[id] == nil }) {
		var err error
		if pieces, err = r.load(ids); err != nil {
			return nil, err
		}
	}
	list := make([][]byte, len(ids))
	for i, id := range ids {
		list[i] = pieces[id]
	}
	return list, nil
}

// load reads pieces; those that are missing are left out.
func (r bodyReader) load(ids []body.ID) (map[body.ID][]byte, error) {
	pieces := make(map[body.ID][]byte, len(ids))
	if len(ids) == 0 {
		return pieces, nil
	}
	rows, err := r.tx.Query(r.ctx, "SELECT id, stored FROM tapedeck.piece WHERE id = ANY($1::uuid[])", uuids(ids))
	if err != nil {
		return nil, err
	}
	var id [16]byte
	var stored []byte
	_, err = pgx.ForEachRow(rows, []any{&id, &stored}, func() error {
		pieces[id] = stored
		return nil
	})
	return pieces, err
}

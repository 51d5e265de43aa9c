package table

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
)

// Holes are left in a file while they take less than this in bytes, or less than
// this share of it in percent.
const (
	smallHoles      = 1 << 20
	smallHolesShare = 25
)

// compact detaches the finished file. Tables that were sorted or made again
// leave holes in it, which would take disk and budget for as long as the load is
// kept; where they are many, the file is replaced by a copy without them.
func (b *builder) compact(ctx context.Context, path, layout string) error {
	holes, total, err := b.fileSpace(ctx)
	if err != nil {
		return err
	}
	if holes < smallHoles || holes*100 < total*smallHolesShare {
		return b.conn.Exec("DETACH " + catalog)
	}
	tight := path + ".tight"
	sql := fmt.Sprintf("%s; COPY FROM DATABASE %s TO tight; CHECKPOINT tight; DETACH tight; DETACH %s", attach(tight, "tight", layout), catalog, catalog)
	if err := b.conn.Exec(sql); err != nil {
		return err
	}
	return os.Rename(tight, path)
}

// fileSpace is how many bytes of the file are holes, and of how many.
func (b *builder) fileSpace(ctx context.Context) (holes, total int64, err error) {
	statement, err := b.conn.Prepare("SELECT (free_blocks * block_size)::DOUBLE, (total_blocks * block_size)::DOUBLE FROM pragma_database_size() WHERE database_name = '" + catalog + "'")
	if err != nil {
		return 0, 0, err
	}
	defer statement.Close()
	rows, err := statement.Stream(ctx)
	if err != nil {
		return 0, 0, err
	}
	defer rows.Close()
	var bytes [2]float64
	if rows.Next() {
		row, _ := rows.AppendJSON(nil, 1024, 1024)
		err = json.Unmarshal(row, &bytes)
	}
	return int64(bytes[0]), int64(bytes[1]), errors.Join(err, rows.Err())
}

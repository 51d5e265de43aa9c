package sqlite

import (
	"context"
	"embed"
	"fmt"
	"io/fs"

	"tapedeck/internal/store"
)

//go:embed migrations/*.sql
var migrations embed.FS

// migrationFiles are in the order in which they run; latest is the version that
// they lead to.
var (
	migrationFiles, _ = fs.Glob(migrations, "migrations/*.sql") // the pattern is sound
	latest            = len(migrationFiles)
)

// application marks the file as ours (PRAGMA application_id): "tape".
const application = 0x74617065

// migrate runs the migrations that the file lacks, in one transaction. Of
// processes that start at once the first does it, the others wait.
func migrate(ctx context.Context, c *conn) error {
	if version, err := migrated(c); version == latest || err != nil {
		return err
	}
	if err := c.script("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	if err := runMigrations(c); err != nil {
		c.ctx = context.WithoutCancel(ctx)
		c.script("ROLLBACK")
		return err
	}
	return c.script("COMMIT")
}

// migrated is how many migrations the file has. It is an error if the file is not
// ours, or newer than this program.
func migrated(c *conn) (version int, err error) {
	var id, tables int64
	_, err = c.one(`SELECT (SELECT application_id FROM pragma_application_id), (SELECT user_version FROM pragma_user_version),
		(SELECT count(*) FROM sqlite_schema)`, nil, func(r *row) { id, version, tables = r.int(), int(r.int()), r.int() })
	switch {
	case err != nil:
		return 0, err
	case id != application && (version != 0 || tables > 0):
		return 0, fmt.Errorf("%w: the file is another program's database; name another one", store.ErrUnavailable)
	case version > latest:
		return 0, fmt.Errorf("%w: its tables are of version %d, this program knows %d; upgrade tapedeck", store.ErrNewer, version, latest)
	}
	return version, nil
}

func runMigrations(c *conn) error {
	done, err := migrated(c) // another process may have come first
	if err != nil {
		return err
	}
	for _, file := range migrationFiles[done:] {
		text, err := migrations.ReadFile(file)
		if err != nil {
			return err
		}
		if err := c.script(string(text)); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	return c.script(fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d", application, latest))
}

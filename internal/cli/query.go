package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tapedeck/internal/deck"
)

// The formats of an answer. The first two are for reading and hold
// default_row_limit rows unless --limit says otherwise; the others are exports
// and hold all.
const (
	formatTable   = "table"
	formatJSON    = "json"
	formatNDJSON  = "ndjson"
	formatCSV     = "csv"
	formatParquet = "parquet"
)

var formats = []string{formatTable, formatJSON, formatNDJSON, formatCSV, formatParquet}

// formatsByExtension are what -o implies when --format is not given.
var formatsByExtension = map[string]string{
	".json": formatJSON, ".ndjson": formatNDJSON, ".jsonl": formatNDJSON, ".csv": formatCSV, ".parquet": formatParquet,
}

func newQuery(a *app) *cobra.Command {
	q := &queryCommand{app: a}
	cmd := &cobra.Command{
		Use:   "query [FILE…] SQL",
		Short: "Answer a question in SQL",
		Long: `Load the recordings that are named and answer one SQL statement about them.

The tables bear the names of the topics: /battery/status becomes battery_status;
with --load r1=FILE it becomes r1_battery_status. Each has timestamp_us, the log
time in microseconds. All of DuckDB's SQL works that reads. SQL may be - to read
it from stdin.

Tables and JSON hold default_row_limit rows and say on stderr when there are
more; ndjson, csv and parquet hold all. --limit holds for every format but
parquet. A table shows the first 80 characters of a value, and is written row
under row where the terminal is too narrow for it. In csv an empty field is NULL
and "" an empty text.`,
		Example: `  tapedeck query drive_02.mcap 'FROM battery_status WHERE voltage < 22 LIMIT 1'
  tapedeck query --load a=drive_01.mcap --load b=drive_02.mcap \
    'FROM a_log UNION ALL FROM b_log ORDER BY timestamp_us'
  tapedeck query drive_02.mcap 'FROM imu' -o imu.parquet`,
		Args: nArgs(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error { return q.run(cmd, args) },
	}
	flags := cmd.Flags()
	q.options.add(flags)
	flags.StringArrayVar(&q.aliased, "load", nil, "load the FILE in `ALIAS=FILE` with ALIAS_ in front of its tables' names; may be repeated")
	flags.StringArrayVar(&q.files, "file", nil, "load `FILE`, as one named before the SQL; may be repeated")
	flags.StringVar(&q.format, "format", "", "`FORMAT` of the answer, one of "+strings.Join(formats, ", ")+"; by default what the name behind -o says, else table")
	flags.StringVarP(&q.output, "output", "o", "", "write the answer to `FILE`")
	flags.IntVar(&q.limit, "limit", 0, "answer with at most `N` rows")
	flags.BoolVar(&q.asJSON, "json", false, "same as --format json")
	return cmd
}

type queryCommand struct {
	*app
	options loadFlags
	aliased []string
	files   []string
	format  string
	output  string
	limit   int
	asJSON  bool
}

func (q *queryCommand) run(cmd *cobra.Command, args []string) error {
	format, err := q.chosenFormat()
	if err != nil {
		return usageError(cmd, err)
	}
	if cmd.Flags().Changed("limit") && q.limit < 1 {
		return usageError(cmd, fmt.Errorf("--limit %d: want 1 or more", q.limit))
	}
	if last := args[len(args)-1]; isRecording(last) {
		return usageError(cmd, fmt.Errorf("the SQL is missing behind %s", last))
	}
	loads, err := q.loads(args[:len(args)-1])
	if err != nil {
		return usageError(cmd, err)
	}
	sql, err := q.statement(args[len(args)-1])
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	return q.withDeck(q.forOneStatement(format), func(s openedDeck) error {
		var lost error
		for _, request := range loads {
			_, l, err := q.load(ctx, s, request)
			if err != nil {
				return err
			}
			lost = errors.Join(lost, l)
		}
		return errors.Join(q.answer(ctx, s, format, sql), lost)
	})
}

func (q *queryCommand) chosenFormat() (string, error) {
	format := q.format
	if q.asJSON {
		if format != "" && format != formatJSON {
			return "", errors.New("--json and --format " + format + " contradict one another")
		}
		format = formatJSON
	}
	if format == "" {
		format = formatsByExtension[strings.ToLower(filepath.Ext(q.output))]
	}
	if format == "" {
		format = formatTable
	}
	switch {
	case !slices.Contains(formats, format):
		return "", fmt.Errorf("--format %s: want one of %s", format, strings.Join(formats, ", "))
	case format == formatParquet && q.output == "":
		return "", errors.New("parquet needs a file: give one with -o")
	case format == formatParquet && q.limit != 0:
		return "", errors.New("parquet takes no --limit: put LIMIT into the SQL")
	}
	return format, nil
}

// loads are the recordings to load, in the order of their kinds: named in front
// of the SQL, by --file, by --load.
func (q *queryCommand) loads(files []string) ([]deck.LoadRequest, error) {
	var requests []deck.LoadRequest
	for _, file := range slices.Concat(files, q.files) {
		requests = append(requests, q.options.request(file, ""))
	}
	for _, pair := range q.aliased {
		alias, file, ok := strings.Cut(pair, "=")
		if !ok || alias == "" || file == "" {
			return nil, fmt.Errorf("--load %s: want ALIAS=FILE, such as r1=drive_01.mcap", pair)
		}
		if slices.ContainsFunc(requests, func(r deck.LoadRequest) bool { return strings.EqualFold(r.Alias, alias) }) {
			return nil, fmt.Errorf("--load %s: the alias %s is taken: give each recording its own", pair, alias)
		}
		requests = append(requests, q.options.request(file, alias))
	}
	return requests, nil
}

// isRecording reports whether what stands in the place of the SQL names a file.
func isRecording(arg string) bool {
	if strings.ContainsAny(arg, " \n") {
		return false
	}
	info, err := os.Stat(arg)
	return err == nil && info.Mode().IsRegular() || strings.EqualFold(filepath.Ext(arg), ".mcap")
}

// statement is the SQL, from stdin for "-".
func (q *queryCommand) statement(arg string) (string, error) {
	if arg != "-" {
		return arg, nil
	}
	text, err := io.ReadAll(q.in)
	if err != nil {
		return "", fmt.Errorf("reading SQL from stdin: %w", err)
	}
	return string(text), nil
}

// unbounded is a limit that nothing meets.
const unbounded = math.MaxInt

// forOneStatement lifts the bounds that are there for agents: who types a
// command chose the format, and can choose --limit.
func (q *queryCommand) forOneStatement(format string) func(*deck.Options) {
	return func(opt *deck.Options) {
		opt.Pool.MaxWorkers = 1 // there is one statement
		limits := &opt.Pool.Limits
		limits.MaxBytes, limits.CellBytes = unbounded, unbounded
		limits.MaxRows = max(limits.MaxRows, q.limit)
		if format == formatNDJSON || format == formatCSV {
			limits.MaxRows = unbounded
			limits.DefaultRows = unbounded
		}
	}
}

// answer writes the answer to where it goes.
func (q *queryCommand) answer(ctx context.Context, s openedDeck, format, sql string) error {
	switch {
	case format == formatParquet:
		return q.export(ctx, s, sql)
	case q.output != "":
		return writeFile(q.output, func(w io.Writer) error { return q.write(ctx, s, format, sql, w) })
	}
	return q.write(ctx, s, format, sql, q.out)
}

// export lets the engine write Parquet, which needs a file that can be put in
// its place when it is whole.
func (q *queryCommand) export(ctx context.Context, s openedDeck, sql string) error {
	if ok, err := replaceable(q.output); err != nil {
		return err
	} else if !ok {
		return fmt.Errorf("parquet can't be written to %s: it is no file", q.output)
	}
	rows, err := s.Export(ctx, sql, formatParquet, q.output)
	if err != nil {
		return err
	}
	q.note("%s written to %s", count(uint64(rows), "row", "rows"), q.output)
	return nil
}

func (q *queryCommand) write(ctx context.Context, s openedDeck, format, sql string, w io.Writer) error {
	request := deck.QueryRequest{SQL: sql, Limit: q.limit}
	if format == formatJSON {
		result, err := s.Query(ctx, request)
		if err != nil {
			return err
		}
		q.cut(result.Truncated, result.RowCount)
		return printJSON(w, result)
	}
	writer := newAnswerWriter(format, w)
	summary, err := s.Stream(ctx, request, writer)
	if err != nil {
		return err
	}
	if err := writer.end(); err != nil {
		return err
	}
	q.cut(summary.Truncated, summary.RowCount)
	return nil
}

// cut tells that there are more rows than were asked for.
func (q *queryCommand) cut(truncated bool, rows int) {
	if truncated && q.limit == 0 {
		q.note("only the first %s: --limit N shows more, --format csv or ndjson all", count(rows, "row", "rows"))
	} else if truncated {
		q.note("only the first %s, as --limit says", count(rows, "row", "rows"))
	}
}

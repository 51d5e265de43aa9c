package duckdb

import (
	"testing"

	"tapedeck/decode"
)

// The table's own SQL says what arrived, so that the check does not trust the
// code under test to read it back.
func TestAppendKeepsEveryKind(t *testing.T) {
	point := decode.StructOf(decode.Field{Name: "x", Type: decode.Scalar(decode.Float64)}, decode.Field{Name: "tag", Type: decode.Scalar(decode.String)})
	columns := []decode.Column{
		{Name: "b", Type: decode.Scalar(decode.Bool)},
		{Name: "i", Type: decode.Scalar(decode.Int16)},
		{Name: "h", Type: decode.Scalar(decode.HugeInt)},
		{Name: "s", Type: decode.Scalar(decode.String)},
		{Name: "blob", Type: decode.Scalar(decode.Bytes)},
		{Name: "stamp", Type: decode.Scalar(decode.Timestamp)},
		{Name: "points", Type: decode.ListOf(point)},
		{Name: "m", Type: decode.MapOf(decode.Scalar(decode.String), decode.Scalar(decode.Int32))},
		{Name: "nothing", Type: decode.ListOf(decode.StructOf())},
	}
	const rows = 5000 // more than two vectors
	b := decode.NewBatch(columns, nil)
	for i := range rows {
		b.Column(0).AppendBool(i%2 == 0)
		if i%3 == 0 {
			b.Column(1).AppendNull()
		} else {
			b.Column(1).AppendInt(int64(i))
		}
		b.Column(2).Append128(uint64(i), 1)
		b.Column(3).AppendString([]string{"", "short", "twelve bytes", "more than twelve bytes long"}[i%4])
		b.Column(4).AppendBytes([]byte{0, 0xff, byte(i)})
		b.Column(5).Append64(uint64(i))
		points := b.Column(6)
		for j := range i % 3 {
			points.Elem().Field(0).AppendFloat64(float64(j))
			points.Elem().Field(1).AppendString("a point with a long name")
			points.Elem().CloseStruct()
		}
		points.CloseList()
		b.Column(7).Elem().Field(0).AppendString("key")
		b.Column(7).Elem().Field(1).AppendInt(int64(i))
		b.Column(7).Elem().CloseStruct()
		b.Column(7).CloseList()
		b.Column(8).Elem().CloseStruct()
		b.Column(8).CloseList()
		b.CloseRow()
	}
	conn := open(t)
	ddl := "CREATE TABLE t ("
	for i, col := range columns {
		if i > 0 {
			ddl += ", "
		}
		ddl += decode.QuoteIdent(col.Name) + " " + col.Type.SQL()
	}
	mustExec(t, conn, ddl+")")
	appendAll(t, conn, "t", b, len(columns))

	for _, check := range []string{
		"SELECT count(*) = 5000 FROM t",
		"SELECT count(*) FILTER (b) = 2500 FROM t",
		"SELECT count(*) FILTER (i IS NULL) = 1667 AND sum(i) = 8331667 FROM t",
		"SELECT bool_and(h = 18446744073709551616::HUGEINT + rowid) FROM t",
		"SELECT sum(length(s)) = 1250 * (0 + 5 + 12 + 27) AND max(s) = 'twelve bytes' FROM t",
		"SELECT bool_and(octet_length(blob) = 3 AND hex(blob)[1:4] = '00FF') FROM t",
		"SELECT bool_and(stamp = make_timestamp_ns(rowid)) FROM t",
		"SELECT bool_and(len(points) = rowid % 3 AND (rowid % 3 < 2 OR points[2] = {x: 1.0, tag: 'a point with a long name'})) FROM t",
		"SELECT bool_and(m['key'] = rowid) FROM t",
		"SELECT bool_and(nothing = [true]) FROM t",
	} {
		mustExec(t, conn, "SELECT CASE WHEN NOT ("+check+") THEN error('wrong: ' || $$"+check+"$$) END")
	}
}

func TestAppendHoldsSizesInsteadOfBlobs(t *testing.T) {
	b := decode.NewBatch([]decode.Column{{Name: "image", Type: decode.Scalar(decode.Bytes)}}, []bool{true})
	b.Column(0).AppendBytes(make([]byte, 1000))
	b.CloseRow()
	b.Column(0).AppendNull()
	b.CloseRow()
	conn := open(t)
	mustExec(t, conn, "CREATE TABLE t (image_size UINTEGER)")
	appendAll(t, conn, "t", b, 1)
	mustExec(t, conn, "SELECT CASE WHEN NOT (SELECT list(image_size) = [1000, NULL] FROM t) THEN error('wrong') END")
}

func TestAppendRefusesTheWrongNumberOfColumns(t *testing.T) {
	conn := open(t)
	mustExec(t, conn, "CREATE TABLE t (a INTEGER, b INTEGER)")
	a, err := conn.NewAppender("memory", "t")
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if err := a.Append(nil, 1); err == nil {
		t.Error("no error")
	}
	if _, err := conn.NewAppender("memory", "missing"); err == nil {
		t.Error("no error for a missing table")
	}
}

func open(t *testing.T) *Conn {
	t.Helper()
	db, err := Open("", nil)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := db.Connect()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(); db.Close() })
	return conn
}

func mustExec(t *testing.T, conn *Conn, sql string) {
	t.Helper()
	if err := conn.Exec(sql); err != nil {
		t.Fatal(err)
	}
}

func appendAll(t *testing.T, conn *Conn, table string, b *decode.Batch, columns int) {
	t.Helper()
	a, err := conn.NewAppender("memory", table)
	if err != nil {
		t.Fatal(err)
	}
	vectors := make([]*decode.Vector, columns)
	for i := range vectors {
		vectors[i] = b.Column(i)
	}
	if err := a.Append(vectors, b.Rows()); err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
}

package query

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
)

// A frame is a kind and a payload. Setup and statements go to the worker; the others
// come from it: for each statement that it is begun, columns, rows, and an outcome, or an
// outcome at once.
type frameKind byte

const (
	setupFrame     frameKind = 'S'
	statementFrame frameKind = 'Q'
	readyFrame     frameKind = 'O' // an outcome: the worker can take statements, or why not
	begunFrame     frameKind = 'B' // empty
	columnsFrame   frameKind = 'C'
	rowsFrame      frameKind = 'R' // JSON arrays, a line feed behind each
	outcomeFrame   frameKind = 'E'
)

const (
	maxFrameBytes = 64 << 20
	// maxRowBytes bounds one row, whatever the caller's limit.
	maxRowBytes = maxFrameBytes / 2
	// maxTreeBytes bounds the syntax tree of a statement.
	maxTreeBytes = 64 << 20
	// flushBytes is how much of rows is collected before it is sent.
	flushBytes = 32 << 10
)

// statement asks a worker for an answer within limits.
type statement struct {
	SQL       string `json:"sql"`
	MaxRows   int    `json:"max_rows"`
	MaxBytes  int    `json:"max_bytes"`
	CellBytes int    `json:"cell_bytes"`
	TimeoutMS int64  `json:"timeout_ms"`       // 0: none
	Format    string `json:"format,omitempty"` // of an export
}

type columns struct {
	Names []string `json:"names"`
	Types []string `json:"types"`
}

// outcome ends an answer.
type outcome struct {
	Rows     int      `json:"rows"`
	Cut      cut      `json:"cut,omitempty"`
	CutCells int      `json:"cut_cells,omitempty"`
	Tables   []string `json:"tables,omitempty"` // of the catalog, that the statement names
	Millis   float64  `json:"millis"`
	Failure  *failure `json:"failure,omitempty"`
	Spoilt   bool     `json:"spoilt,omitempty"` // the worker should be replaced
}

// cut says which limit ended an answer.
type cut string

const (
	cutRows  cut = "rows"
	cutBytes cut = "bytes"
)

func writeFrame(w io.Writer, kind frameKind, payload []byte) error {
	frame := make([]byte, 5, 5+len(payload))
	binary.BigEndian.PutUint32(frame, uint32(len(payload)))
	frame[4] = byte(kind)
	_, err := w.Write(append(frame, payload...))
	return err
}

func writeJSONFrame(w io.Writer, kind frameKind, v any) error {
	payload, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return writeFrame(w, kind, payload)
}

func readFrame(r io.Reader) (frameKind, []byte, error) {
	var head [5]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, err
	}
	size := binary.BigEndian.Uint32(head[:])
	if size > maxFrameBytes {
		return 0, nil, fmt.Errorf("frame of %d bytes, at most %d are allowed", size, maxFrameBytes)
	}
	payload := make([]byte, size)
	_, err := io.ReadFull(r, payload)
	return frameKind(head[4]), payload, err
}

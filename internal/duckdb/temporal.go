package duckdb

import (
	"fmt"
	"math"
	"strconv"
	"time"

	c "github.com/duckdb/duckdb-go-bindings"
)

const secondsADay = 24 * 60 * 60

// interval is duckdb_interval.
type interval struct {
	months, days int32
	micros       int64
}

// temporal appends dates, times and spans as ISO 8601 text, with all the digits that
// the type keeps.
func (w *writer) temporal(r *reader, i int) {
	w.raw(`"`)
	switch r.kind {
	case c.TypeDate:
		w.date(at[int32](r, i))
	case c.TypeTime:
		w.clock(at[int64](r, i), 6)
	case c.TypeTimeNS:
		w.clock(at[int64](r, i), 9)
	case c.TypeTimeTZ:
		w.clockTZ(at[uint64](r, i))
	case c.TypeTimestampS:
		w.timestamp(at[int64](r, i), 0)
	case c.TypeTimestampMS:
		w.timestamp(at[int64](r, i), 3)
	case c.TypeTimestamp:
		w.timestamp(at[int64](r, i), 6)
	case c.TypeTimestampNS:
		w.timestamp(at[int64](r, i), 9)
	case c.TypeTimestampTZ:
		if w.timestamp(at[int64](r, i), 6) {
			w.raw("+00:00")
		}
	case c.TypeInterval:
		w.interval(at[interval](r, i))
	}
	w.raw(`"`)
}

func (w *writer) date(days int32) {
	switch days {
	case math.MaxInt32:
		w.raw("infinity")
	case -math.MaxInt32:
		w.raw("-infinity")
	default:
		w.day(int64(days))
	}
}

// day appends the date that is days after 1970-01-01. Years outside 0000–9999 have a
// sign and at least four digits, as ISO 8601 has it; the year before 0001 is 0000.
func (w *writer) day(days int64) {
	t := time.Unix(days*secondsADay, 0).UTC()
	year := t.Year()
	switch {
	case year < 0:
		w.raw(fmt.Sprintf("-%04d", -year))
	case year > 9999:
		w.raw(fmt.Sprintf("+%d", year))
	default:
		w.buf = appendPadded(w.buf, int64(year), 4)
	}
	w.raw("-")
	w.buf = appendPadded(w.buf, int64(t.Month()), 2)
	w.raw("-")
	w.buf = appendPadded(w.buf, int64(t.Day()), 2)
}

// timestamp appends a time that is given in units of 10^-digits seconds and
// reports whether it is a finite one.
func (w *writer) timestamp(v int64, digits int) bool {
	switch v {
	case math.MaxInt64:
		w.raw("infinity")
		return false
	case -math.MaxInt64:
		w.raw("-infinity")
		return false
	}
	perDay := secondsADay * pow10(digits)
	days, rest := v/perDay, v%perDay
	if rest < 0 {
		days, rest = days-1, rest+perDay
	}
	w.day(days)
	w.raw("T")
	w.clock(rest, digits)
	return true
}

// clock appends a time of day in units of 10^-digits seconds.
func (w *writer) clock(v int64, digits int) {
	unit := pow10(digits)
	seconds := v / unit
	w.buf = appendPadded(w.buf, seconds/3600, 2)
	w.raw(":")
	w.buf = appendPadded(w.buf, seconds/60%60, 2)
	w.raw(":")
	w.buf = appendPadded(w.buf, seconds%60, 2)
	if digits > 0 {
		w.raw(".")
		w.buf = appendPadded(w.buf, v%unit, digits)
	}
}

// clockTZ appends a time of day with its zone: 40 bits of microseconds, then 24 of
// the zone's distance from the greatest, so that times sort by instant.
func (w *writer) clockTZ(bits uint64) {
	const greatest = 16*60*60 - 1
	w.clock(int64(bits>>24), 6)
	offset := greatest - int64(bits&(1<<24-1))
	if offset < 0 {
		w.raw("-")
		offset = -offset
	} else {
		w.raw("+")
	}
	w.buf = appendPadded(w.buf, offset/3600, 2)
	w.raw(":")
	w.buf = appendPadded(w.buf, offset/60%60, 2)
	if offset%60 != 0 {
		w.raw(":")
		w.buf = appendPadded(w.buf, offset%60, 2)
	}
}

// interval appends an ISO 8601 duration. Months, days and the time have signs of
// their own, because none can be turned into another.
func (w *writer) interval(v interval) {
	w.raw("P")
	if v.months != 0 {
		w.buf = append(strconv.AppendInt(w.buf, int64(v.months), 10), 'M')
	}
	if v.days != 0 {
		w.buf = append(strconv.AppendInt(w.buf, int64(v.days), 10), 'D')
	}
	if v.micros == 0 && (v.months != 0 || v.days != 0) {
		return
	}
	w.raw("T")
	magnitude := uint64(v.micros)
	if v.micros < 0 {
		w.raw("-")
		magnitude = -magnitude
	}
	w.buf = strconv.AppendUint(w.buf, magnitude/1e6, 10)
	if fraction := magnitude % 1e6; fraction != 0 {
		w.raw(".")
		w.buf = appendPadded(w.buf, int64(fraction), 6)
	}
	w.raw("S")
}

func pow10(n int) int64 {
	p := int64(1)
	for range n {
		p *= 10
	}
	return p
}

// appendPadded appends v, which is not negative, with at least width digits.
func appendPadded(dst []byte, v int64, width int) []byte {
	for limit := pow10(width - 1); limit > 1 && v < limit; limit /= 10 {
		dst = append(dst, '0')
	}
	return strconv.AppendInt(dst, v, 10)
}

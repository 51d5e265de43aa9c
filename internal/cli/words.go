package cli

import (
	"fmt"
	"strconv"
	"strings"
)

// count is n with its noun.
func count[N int | int64 | uint64](n N, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return group(n) + " " + many
}

// group writes a number with a comma between thousands.
func group[N int | int64 | uint64](n N) string { return groupDigits(fmt.Sprint(n)) }

// groupDigits puts commas into the whole part of a decimal number.
func groupDigits(text string) string {
	whole, fraction, _ := strings.Cut(text, ".")
	sign := ""
	if strings.HasPrefix(whole, "-") {
		sign, whole = "-", whole[1:]
	}
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if fraction != "" {
		whole += "." + fraction
	}
	return sign + whole
}

// seconds writes a duration with one decimal, so that a column of them aligns.
func seconds(s float64) string { return groupDigits(strconv.FormatFloat(s, 'f', 1, 64)) }

// size writes a number of bytes in the unit that suits it.
func size(bytes float64) string {
	units := []string{"B", "KB", "MB", "GB"}
	i := 0
	for bytes >= 1024 && i < len(units)-1 {
		bytes /= 1024
		i++
	}
	decimals := 0
	if i > 1 {
		decimals = 1
	}
	return groupDigits(strconv.FormatFloat(bytes, 'f', decimals, 64)) + " " + units[i]
}

// clock writes a time of the deck, which is ISO 8601 in UTC, with as little as
// people need. --start and --end read it.
func clock(iso string) string {
	text := strings.TrimSuffix(strings.Replace(iso, "T", " ", 1), "+00:00")
	return strings.TrimSuffix(text, ".000")
}

// listed is the most names that a line for people lists.
const listed = 10

// some joins names, and counts those beyond what a line should hold.
func some(names []string) string {
	if len(names) <= listed {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:listed], ", ") + " and " + group(len(names)-listed) + " more"
}

// named makes an empty name visible among others.
func named(name string) string {
	if name == "" {
		return `""`
	}
	return name
}

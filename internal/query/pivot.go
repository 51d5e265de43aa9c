package query

import "slices"

// pivotEnds are the words that end the ON list of a PIVOT.
var pivotEnds = []string{"USING", "GROUP", "ORDER", "LIMIT", "OFFSET", "UNION", "EXCEPT", "INTERSECT", "WHERE", "QUALIFY"}

// completePivots writes IN (1) behind every ON expression of a PIVOT that has no IN
// list, and says whether there was one.
//
// DuckDB makes two statements of such a PIVOT: one collects the values in a temporary
// type, the other pivots. Its parser then won't print the tree that the gate
// needs. The completed text has the same tables and functions and is one statement, so
// the gate judges that in the original's place. What is inserted has no quote and no
// comment in it: wherever it lands, it can't change where a text or a comment
// ends, so that nothing of the original can hide from the parser.
func completePivots(sql string) (string, bool) {
	tokens := lex(sql)
	var places []int
	for i, t := range tokens {
		if t.word == "PIVOT" || t.word == "PIVOT_WIDER" {
			places = append(places, placesWithoutIn(tokens[i+1:])...)
		}
	}
	slices.Sort(places)
	places = slices.Compact(places)
	for _, at := range slices.Backward(places) {
		sql = sql[:at] + " IN (1)" + sql[at:]
	}
	return sql, len(places) > 0
}

// placesWithoutIn finds the ends of ON expressions without IN in what follows a PIVOT.
func placesWithoutIn(tokens []token) (places []int) {
	depth, inList, hasIn, end := 0, false, false, 0
	closeExpression := func() {
		if inList && !hasIn && end > 0 {
			places = append(places, end)
		}
		hasIn, end = false, 0
	}
	for _, t := range tokens {
		if depth == 0 {
			switch {
			case t.word == ")" || t.word == ";" || inList && slices.Contains(pivotEnds, t.word):
				closeExpression()
				return places
			case !inList && t.word == "ON":
				inList, end = true, 0
				continue
			case inList && t.word == ",":
				closeExpression()
				continue
			case inList && t.word == "IN":
				hasIn = true
			}
		}
		switch t.word {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			depth--
		}
		end = t.end
	}
	closeExpression()
	return places
}

package query

import "fmt"

// explainFormats are the forms in which DuckDB draws a plan.
var explainFormats = map[string]bool{"TEXT": true, "JSON": true, "HTML": true, "GRAPHVIZ": true, "YAML": true, "MERMAID": true}

// splitExplain takes a leading EXPLAIN off. It gives the prefix in a form of its own
// making and the statement to explain, or "" and sql when there is no EXPLAIN.
func splitExplain(sql string) (prefix, rest string, err error) {
	tokens := lex(sql)
	for len(tokens) > 0 && tokens[0].word == ";" {
		tokens = tokens[1:]
	}
	if len(tokens) == 0 || tokens[0].word != "EXPLAIN" {
		return "", sql, nil
	}
	tokens = tokens[1:]
	analyze, format := false, ""
	if len(tokens) > 0 && tokens[0].word == "ANALYZE" {
		analyze, tokens = true, tokens[1:]
	}
	if len(tokens) > 1 && tokens[0].word == "(" && (tokens[1].word == "ANALYZE" || tokens[1].word == "FORMAT") {
		if tokens, err = explainOptions(tokens[1:], &analyze, &format); err != nil {
			return "", "", err
		}
	}
	prefix = "EXPLAIN"
	if analyze {
		prefix += " ANALYZE"
	}
	if format != "" {
		prefix += " (FORMAT " + format + ")"
		if analyze {
			prefix = "EXPLAIN (ANALYZE, FORMAT " + format + ")"
		}
	}
	if len(tokens) == 0 {
		return prefix, "", nil
	}
	return prefix, sql[tokens[0].start:], nil
}

// explainOptions reads ANALYZE and FORMAT name, separated by commas, up to the bracket.
func explainOptions(tokens []token, analyze *bool, format *string) ([]token, error) {
	for len(tokens) > 0 {
		t := tokens[0]
		tokens = tokens[1:]
		switch {
		case t.word == ")":
			return tokens, nil
		case t.word == ",":
		case t.word == "ANALYZE":
			*analyze = true
		case t.word == "FORMAT" && len(tokens) > 0 && explainFormats[tokens[0].word]:
			*format, tokens = tokens[0].word, tokens[1:]
		default:
			return nil, fmt.Errorf("%w: EXPLAIN takes ANALYZE and (FORMAT text|json|html|graphviz|yaml|mermaid)", ErrRefused)
		}
	}
	return nil, fmt.Errorf("%w: EXPLAIN has no closing bracket", ErrSQL)
}

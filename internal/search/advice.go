package search

import (
	"fmt"
	"strings"

	"tapedeck/internal/store"
)

// advice is what callers should know of what was found, or may try.
func (q question) advice(m meaning, found []*candidate, hits int) []string {
	switch {
	case hits == 0 && m.empty:
		return []string{"there are no sessions yet: tapedeck import takes them in"}
	case hits == 0:
		return []string{"nothing found: " + q.elsewhere()}
	case len(q.given) > 0 && q.mode != ModeSemantic && q.holds(found[0].text) == 0: // those that hold it come first
		return []string{fmt.Sprintf("nothing has %s as it is written: these hits are only near it", strings.Join(quotedAll(q.given), ", nor "))}
	}
	return nil
}

// elsewhere is what else may be asked for.
func (q question) elsewhere() string {
	var says strings.Builder
	if q.filter.Scope != store.ScopeAll {
		says.WriteString("search tools and sub-agents as well (scope all), ")
	}
	if q.minScore > 0 {
		says.WriteString("lower min_score, ")
	}
	if f := q.filter; f != (store.IndexFilter{Scope: f.Scope}) {
		says.WriteString("leave filters out, ")
	}
	if says.Len() > 0 {
		says.WriteString("or ")
	}
	return says.String() + "ask in other words"
}

func quotedAll(texts []string) []string {
	quoted := make([]string, len(texts))
	for i, text := range texts {
		quoted[i] = fmt.Sprintf("%q", text)
	}
	return quoted
}

package answer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/brokerbench/brokerbench/internal/words"
	"github.com/brokerbench/brokerbench/results/rank"
)

// tell writes what can be told apart and what cannot. Percentiles of which the same can
// be said share a sentence.
func (s *Shape) tell(ranking *rank.Ranking) (sentences []string) {
	sentences = []string{} // [], not null
	rows := rowsOf(ranking, s)
	for len(rows) > 0 {
		alike := []rank.Row{rows[0]}
		for len(alike) < len(rows) && sentence(rows[len(alike)]) == sentence(rows[0]) {
			alike = append(alike, rows[len(alike)])
		}
		sentences = append(sentences, between(alike)+": "+sentence(alike[0]))
		rows = rows[len(alike):]
	}
	return sentences
}

// Caveat says what no sentence can tell, because targets were measured once; "" if none
// was compared that way.
func (a *Answer) Caveat() string {
	if slices.ContainsFunc(a.Shapes, func(s Shape) bool { return s.Repeats == 1 && len(s.Sentences) > 0 }) {
		return "Measured once: whether the targets would differ again, only repeats show (--repeat 5)."
	}
	return ""
}

// rowsOf returns what is known of the targets of a shape, by percentile.
func rowsOf(ranking *rank.Ranking, s *Shape) []rank.Row {
	if ranking == nil {
		return nil
	}
	i := slices.IndexFunc(ranking.Shapes, func(r rank.Shape) bool { return r.Shape == s.Shape })
	if i < 0 {
		return nil
	}
	return ranking.Shapes[i].Rows
}

// between names the percentiles of rows that follow each other: "p50" or "p50 to p99".
func between(rows []rank.Row) string {
	first, last := words.Percentile(rows[0].Percentile), words.Percentile(rows[len(rows)-1].Percentile)
	switch len(rows) {
	case 1:
		return first
	case 2:
		return first + " and " + last
	}
	return first + " to " + last
}

// sentence says what is known at one percentile.
func sentence(r rank.Row) string {
	var parts []string
	switch {
	case len(r.Places) == 0:
		// Why each has none follows.
	case len(r.Places) == 1:
		parts = append(parts, "only "+r.Places[0].Target+" has a value to compare")
	case r.Winner != "":
		parts = append(parts, r.Winner+" is the fastest", r.Order)
	case allAre(r, rank.NotApart):
		parts = append(parts, r.Order+", which cannot be told apart")
	case allAre(r, rank.NotKnown):
		parts = append(parts, "the windows are too short for intervals, so nothing can be told apart (--duration)")
	case allAre(r, rank.RunsDiffer):
		parts = append(parts, r.Order+" in this run")
	default:
		parts = append(parts, r.Order)
	}
	if len(r.Except) > 0 {
		parts = append(parts, "but "+strings.Join(r.Except, ", "))
	}
	parts = append(parts, unranked(r.Unranked)...)
	return strings.Join(parts, "; ") + "."
}

// unranked says which targets have no place, those of the same reason together.
func unranked(list []rank.Unranked) (parts []string) {
	var reasons []string
	targets := make(map[string][]string)
	for _, u := range list {
		if targets[u.Reason] == nil {
			reasons = append(reasons, u.Reason)
		}
		targets[u.Reason] = append(targets[u.Reason], u.Target)
	}
	for _, reason := range reasons {
		is := " is"
		if len(targets[reason]) > 1 {
			is = " are"
		}
		parts = append(parts, fmt.Sprintf("%s%s not ranked (%s)", strings.Join(targets[reason], ", "), is, reason))
	}
	return parts
}

func allAre(r rank.Row, answer rank.Answer) bool {
	return !slices.ContainsFunc(r.Versus, func(v rank.Versus) bool { return v.Answer != answer })
}

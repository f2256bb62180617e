package answer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/brokerbench/brokerbench/internal/compare/rank"
	"github.com/brokerbench/brokerbench/internal/leaf/group"
	"github.com/brokerbench/brokerbench/internal/leaf/words"
)

// tell writes which targets can be told apart. Consecutive percentiles with the same sentence
// share it.
func (s *Shape) tell(ranking *rank.Ranking) (sentences []string) {
	rows := rowsOf(ranking, s)
	for len(rows) > 0 {
		alike := []rank.Row{rows[0]}
		for len(alike) < len(rows) && sentence(rows[len(alike)], ranking.Least) == sentence(rows[0], ranking.Least) {
			alike = append(alike, rows[len(alike)])
		}
		sentences = append(sentences, between(alike)+": "+sentence(alike[0], ranking.Least))
		rows = rows[len(alike):]
	}
	return sentences
}

// Caveat warns that targets were measured only once; "" if none was compared that way.
func (a *Answer) Caveat() string {
	if slices.ContainsFunc(a.Shapes, func(s Shape) bool { return s.Repeats == 1 && len(s.Targets) > 1 }) {
		return "Measured once: whether the targets would differ again, only repeats show (--repeat 5)."
	}
	return ""
}

// rowsOf returns the ranking of the targets of a shape, by percentile.
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

// sentence writes the ranking at one percentile. An answer takes at least so many repeats.
func sentence(r rank.Row, least int) string {
	var parts []string
	switch {
	case len(r.Places) == 0:
		// The reasons follow.
	case len(r.Places) == 1:
		parts = append(parts, "only "+r.Places[0].Target+" has a value to compare")
	case r.Winner != "":
		parts = append(parts, r.Winner+" is the fastest", r.Order)
	case allAre(r, rank.NotApart, rank.TooFew) && len(r.Places) > mostNamed:
		parts = append(parts, fmt.Sprintf("none of the %d targets can be told from another", len(r.Places)))
	case allAre(r, rank.NotApart, rank.TooFew):
		parts = append(parts, r.Order+", which cannot be told apart")
	case allAre(r, rank.NotKnown):
		parts = append(parts, "the windows are too short for intervals, so nothing can be told apart (--duration)")
	case allAre(r, rank.RunsDiffer):
		parts = append(parts, r.Order+" in this run")
	default:
		parts = append(parts, r.Order)
	}
	switch n := len(r.Except); {
	case n > mostNamed:
		parts = append(parts, fmt.Sprintf("but %d pairs relate in another way (brokerbench compare names them)", n))
	case n > 0:
		parts = append(parts, "but "+strings.Join(r.Except, ", "))
	}
	if slices.ContainsFunc(r.Versus, func(v rank.Versus) bool { return v.Answer == rank.TooFew }) {
		parts = append(parts, fmt.Sprintf("too few repeats to tell more (--repeat %d)", least))
	}
	parts = append(parts, doubts(r)...)
	return strings.Join(parts, "; ") + "."
}

// mostNamed is the largest number of targets that a sentence names beside their order.
const mostNamed = 6

// doubts names the targets with limited or suspect numbers and those without a place, grouped by
// reason: "nats is SUSPECT", "nats and redis are limited by few events", or "all are SUSPECT".
func doubts(r rank.Row) (parts []string) {
	type doubt struct {
		reason, target string
		placed         bool
	}
	var limited, suspect, unranked []doubt
	for _, p := range r.Places {
		if len(p.Limits) > 0 {
			limited = append(limited, doubt{" limited by " + words.And(p.Limits), p.Target, true})
		}
		if p.Suspect {
			suspect = append(suspect, doubt{" SUSPECT", p.Target, true})
		}
	}
	for _, u := range r.Unranked {
		unranked = append(unranked, doubt{fmt.Sprintf(" not ranked (%s)", u.Reason), u.Target, false})
	}
	all := slices.Concat(limited, suspect, unranked)
	for _, alike := range group.By(all, func(d doubt) string { return d.reason }) {
		var names []string
		for _, d := range alike {
			names = append(names, d.target)
		}
		subject := words.Are(names, mostNamed, "target")
		if alike[0].placed && len(names) > 1 && len(names) == len(r.Places) {
			subject = "all are"
		}
		parts = append(parts, subject+alike[0].reason)
	}
	return parts
}

func allAre(r rank.Row, answers ...rank.Answer) bool {
	return !slices.ContainsFunc(r.Versus, func(v rank.Versus) bool { return !slices.Contains(answers, v.Answer) })
}

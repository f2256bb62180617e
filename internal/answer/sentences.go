package answer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/brokerbench/brokerbench/internal/compare/rank"
	"github.com/brokerbench/brokerbench/internal/leaf/words"
)

// tell writes which targets can be told apart. Consecutive percentiles with the same sentence
// share it.
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

// Caveat warns that targets were measured only once; "" if none was compared that way.
func (a *Answer) Caveat() string {
	if slices.ContainsFunc(a.Shapes, func(s Shape) bool { return s.Repeats == 1 && len(s.Sentences) > 0 }) {
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

// sentence writes the ranking at one percentile.
func sentence(r rank.Row) string {
	var parts []string
	switch {
	case len(r.Places) == 0:
		// The reasons follow.
	case len(r.Places) == 1:
		parts = append(parts, "only "+r.Places[0].Target+" has a value to compare")
	case r.Winner != "":
		parts = append(parts, r.Winner+" is the fastest", r.Order)
	case allAre(r, rank.NotApart) && len(r.Places) > mostNamed:
		parts = append(parts, fmt.Sprintf("none of the %d targets can be told from another", len(r.Places)))
	case allAre(r, rank.NotApart):
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
	parts = append(parts, doubts(r.Places)...)
	parts = append(parts, unranked(r.Unranked)...)
	return strings.Join(parts, "; ") + "."
}

// doubts names the targets with limited or suspect numbers, grouped by reason.
func doubts(places []rank.Place) (parts []string) {
	var limited, suspect byReason
	for _, p := range places {
		if len(p.Limits) > 0 {
			limited.add(words.And(p.Limits), p.Target)
		}
		if p.Suspect {
			suspect.add("SUSPECT", p.Target)
		}
	}
	for i, reason := range limited.reasons {
		parts = append(parts, limited.subject(i, len(places))+" limited by "+reason)
	}
	for i := range suspect.reasons {
		parts = append(parts, suspect.subject(i, len(places))+" SUSPECT")
	}
	return parts
}

// unranked names the targets without a place, grouped by reason.
func unranked(list []rank.Unranked) (parts []string) {
	var why byReason
	for _, u := range list {
		why.add(u.Reason, u.Target)
	}
	for i, reason := range why.reasons {
		parts = append(parts, fmt.Sprintf("%s not ranked (%s)", why.subject(i, 0), reason))
	}
	return parts
}

// byReason groups targets by reason, in the order in which they were added.
type byReason struct {
	reasons []string
	targets [][]string
}

func (b *byReason) add(reason, target string) {
	i := slices.Index(b.reasons, reason)
	if i < 0 {
		i, b.reasons, b.targets = len(b.reasons), append(b.reasons, reason), append(b.targets, nil)
	}
	b.targets[i] = append(b.targets[i], target)
}

// mostNamed is the largest number of targets that a sentence names beside their order.
const mostNamed = 6

// subject names the targets with a reason: "nats is", "nats and redis are", or "all are" if these are
// all.
func (b *byReason) subject(reason, of int) string {
	names := b.targets[reason]
	if len(names) > 1 && len(names) == of {
		return "all are"
	}
	return words.Are(names, mostNamed, "target")
}

func allAre(r rank.Row, answer rank.Answer) bool {
	return !slices.ContainsFunc(r.Versus, func(v rank.Versus) bool { return v.Answer != answer })
}

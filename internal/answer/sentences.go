package answer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/internal/compare/rank"
	"github.com/brokerbench/brokerbench/internal/leaf/group"
	"github.com/brokerbench/brokerbench/internal/leaf/words"
)

// tell writes which targets can be told apart. Consecutive percentiles with the same sentence
// share it.
func (a *Answer) tell(s *Shape, ranking *rank.Ranking) {
	s.Sentences = []string{} // [], not null
	if ranking == nil {
		return
	}
	i := slices.IndexFunc(ranking.Shapes, func(r rank.Shape) bool { return r.Shape == s.Shape })
	if i < 0 {
		return
	}
	s.rows, s.least = ranking.Shapes[i].Rows, ranking.Least
	sentence := func(r rank.Row) string { return order(r) + s.caveat(r.Winner) + a.outlook(s, r) }
	for rows := s.rows; len(rows) > 0; {
		n := 1
		for n < len(rows) && sentence(rows[n]) == sentence(rows[0]) {
			n++
		}
		s.Sentences = append(s.Sentences, between(rows[:n])+": "+sentence(rows[0]))
		rows = rows[n:]
	}
}

// decides returns how many repeats a row takes that has no winner; 0 if it has one, or if that is
// not known, or too many to propose.
func (s *Shape) decides(r rank.Row) int {
	repeats := r.Decides
	if s.Repeats < 3 {
		repeats = max(repeats, s.least, enoughRepeats)
	}
	if len(r.Places) < 2 || len(r.Unranked) > 0 || r.Winner != "" || repeats > mostRepeats || repeats <= s.Repeats {
		return 0
	}
	return repeats
}

// outlook names the flag that would decide a row without a winner, or says why none is known.
func (a *Answer) outlook(s *Shape, r rank.Row) string {
	switch repeats := s.decides(r); {
	case repeats > 0:
		return a.towards(repeats)
	case len(r.Places) < 2 || len(r.Unranked) > 0 || r.Winner != "":
		return ""
	case r.Decides > s.Repeats:
		return fmt.Sprintf(" (repeats to decide: about %s)", words.Count(int64(r.Decides)))
	}
	return " (repeats to decide: not known, as differences change between repeats)"
}

// unranked names the targets of a row that have no place; "" if all have one.
func unranked(r rank.Row) string {
	if len(r.Unranked) == 0 {
		return ""
	}
	return fmt.Sprintf(" (%s not ranked)", words.Are(names(r.Unranked), mostNamed, "target"))
}

// caveat says that the durability of a winner is not verified; "" if it is, or if there is no winner.
func (s *Shape) caveat(winner string) string {
	if t, ok := s.Target(winner); ok && t.unverified {
		return " (its durability is not verified)"
	}
	return ""
}

// mostRepeats is the largest number of repeats that is proposed.
const mostRepeats = 50

// Winners sums up all shapes: for each percentile, under how many of them each target is the
// fastest. It is empty if no shape has two targets.
func (a *Answer) Winners() (lines []string) {
	var percentiles []float64
	for _, s := range a.Shapes {
		for _, r := range s.rows {
			percentiles = append(percentiles, r.Percentile)
		}
	}
	for _, p := range group.Unique(percentiles) {
		lines = append(lines, words.Percentile(p)+": "+a.winners(p))
	}
	return lines
}

// winners counts the shapes that each target wins at a percentile.
func (a *Answer) winners(percentile float64) string {
	var winners []string
	caveats, outlook := make(map[string]string), ""
	repeats := 0
	for i := range a.Shapes {
		s := &a.Shapes[i]
		for _, r := range s.rows {
			if r.Percentile == percentile {
				winners, repeats = append(winners, r.Winner), max(repeats, s.decides(r))
				caveats[r.Winner] = cmp.Or(caveats[r.Winner], s.caveat(r.Winner))
				outlook = cmp.Or(outlook, a.outlook(s, r), unranked(r))
			}
		}
	}
	if repeats > 0 {
		outlook = a.towards(repeats)
	}
	var parts []string
	undecided := 0
	for _, alike := range group.By(winners, func(name string) string { return name }) {
		if alike[0] == "" {
			undecided = len(alike)
			continue
		}
		parts = append(parts, fmt.Sprintf("%s is the fastest in %d of %s", alike[0], len(alike), words.Plural(len(winners), "shape"))+caveats[alike[0]])
	}
	if undecided > 0 {
		parts = append(parts, fmt.Sprintf("undecided in %d of %d", undecided, len(winners)))
	}
	return strings.Join(parts, ", ") + outlook
}

// longRun is the length from which a proposed run is named with its length, and mostRun the longest
// that is the next command.
const (
	longRun = 30 * time.Minute
	mostRun = 2 * time.Hour
)

// towards names the flag that would decide a ranking; "" for no repeats.
func (a *Answer) towards(repeats int) string {
	text := fmt.Sprintf(" → --repeat %d", repeats)
	switch all := a.repeat * time.Duration(repeats); {
	case repeats == 0:
		return ""
	case all > longRun:
		text += fmt.Sprintf(" (%s)", words.About(all.Round(time.Minute)))
	}
	return text
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

// order writes the ranking at one percentile.
func order(r rank.Row) string {
	var parts []string
	switch {
	case len(r.Places) == 0:
		// The reasons follow.
	case len(r.Places) == 1:
		parts = append(parts, "only "+r.Places[0].Target+" has a value to compare")
	case r.Winner != "" && len(r.Places) == 2:
		parts = append(parts, r.Winner+" is the fastest")
	case r.Winner != "":
		parts = append(parts, r.Winner+" is the fastest", r.Order)
	case allAre(r, rank.NotApart, rank.TooFew) && len(r.Places) > mostNamed:
		parts = append(parts, fmt.Sprintf("none of the %d targets can be told from another", len(r.Places)))
	case allAre(r, rank.NotApart, rank.TooFew):
		parts = append(parts, "undecided, "+r.Order)
	case allAre(r, rank.NotKnown):
		parts = append(parts, "undecided, the windows are too short for intervals")
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
	for _, alike := range group.By(r.Unranked, func(u rank.Unranked) string { return u.Reason }) {
		names := words.Are(names(alike), mostNamed, "target")
		parts = append(parts, fmt.Sprintf("%s not ranked (%s)", names, alike[0].Reason))
	}
	return strings.Join(parts, "; ")
}

func names(unranked []rank.Unranked) (list []string) {
	for _, u := range unranked {
		list = append(list, u.Target)
	}
	return list
}

// mostNamed is the largest number of targets that a sentence names beside their order.
const mostNamed = 6

func allAre(r rank.Row, answers ...rank.Answer) bool {
	return !slices.ContainsFunc(r.Versus, func(v rank.Versus) bool { return !slices.Contains(answers, v.Answer) })
}

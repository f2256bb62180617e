package answer

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/confidence"
	"github.com/brokerbench/brokerbench/internal/leaf/group"
	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/results"
)

// A Belief tells how many numbers of an answer can be used, and why the others cannot.
type Belief struct {
	Usable int     `json:"usable"`
	Of     int     `json:"of"`
	Causes []Cause `json:"causes"` // those of invalid cells first, then replies that belong to no message, then the most frequent
	// Unseen tells which pauses the measured time does not exclude, though the numbers would
	// be higher with them; null if there are none. It limits no number.
	Unseen *Cause `json:"unseen_pauses,omitempty"`
}

// A Cause limits numbers.
type Cause struct {
	Name   string `json:"name"` // its row in docs/limited.md
	Text   string `json:"text"`
	Cells  int    `json:"cells"` // targets under a shape that have it, with all their repeats
	Of     int    `json:"of"`
	Remedy string `json:"remedy,omitempty"` // to paste: flags for the same command, or a command

	verdict results.Verdict
	flags   []string
	command []string
}

// mostCauses is how many causes have their own line.
const mostCauses = 3

// Lines returns the causes as text, the first with their remedies; the others share a line.
func (b Belief) Lines() (lines []string) {
	for _, c := range b.Causes[:min(mostCauses, len(b.Causes))] {
		lines = append(lines, c.String())
	}
	var more []string
	for _, c := range b.Causes[len(lines):] {
		more = append(more, c.Name)
	}
	if more != nil {
		lines = append(lines, "also "+words.And(more)+" (--details)")
	}
	return lines
}

// String returns the text, the number of cells, and the remedy.
func (c Cause) String() string {
	text := c.Text
	if c.Of > 1 {
		text += fmt.Sprintf(", in %d of %s", c.Cells, words.Plural(c.Of, "cell"))
	}
	switch {
	case c.slower():
		text += " → at a lower rate: " + c.Remedy
	case c.Remedy != "":
		text += " → " + c.Remedy
	}
	return text
}

// slower reports whether the remedy is a lower rate, which changes the question.
func (c Cause) slower() bool { return slices.Contains(c.flags, "-r") }

// A limited number has a problem.
type limited struct {
	Number

	code   results.Code
	shape  *Shape
	target *Target
}

// belief counts the numbers of an answer, and collects the causes.
func (a *Answer) belief(cells []*results.Cell) Belief {
	b := Belief{Causes: []Cause{}}
	var list, unseen []limited
	all := 0
	for s := range a.Shapes {
		for t := range a.Shapes[s].Targets {
			all++
			for _, n := range a.Shapes[s].Targets[t].Response {
				l := limited{n, missingBy(a.Shapes[s].Targets[t], cells), &a.Shapes[s], &a.Shapes[s].Targets[t]}
				if b.Of++; n.Usable {
					b.Usable++
				} else {
					list = append(list, l.each()...)
				}
				if n.Unseen {
					unseen = append(unseen, l)
				}
			}
		}
	}
	for _, alike := range group.By(list, func(l limited) string { return nameOf(l.code) }) {
		b.Causes = append(b.Causes, a.causeOf(alike, cells, all))
	}
	slices.SortStableFunc(b.Causes, func(a, b Cause) int {
		return cmp.Or(cmp.Compare(precedence(b), precedence(a)), b.Cells-a.Cells)
	})
	if len(unseen) > 0 {
		b.Unseen = a.unseenPauses(unseen, all)
	}
	return b
}

// precedence orders causes: no better machine mends a target that answers wrongly.
func precedence(c Cause) int {
	switch {
	case c.verdict == results.Invalid:
		return 2
	case c.Name == string(results.CodeStrays):
		return 1
	}
	return 0
}

// missingBy returns the cause of a number that is unknown and has no problem: messages are missing, which the
// faults explain if some were due in one.
func missingBy(t Target, cells []*results.Cell) results.Code {
	for _, c := range cells {
		for _, f := range c.Faults {
			if h := f.Impact; h != nil && h.Due > h.Done && slices.Contains(t.Cells, c.ID) {
				return results.CodeFaults
			}
		}
	}
	return results.CodeMissing
}

// each returns the number once for each of its problems, or with its own code if it has none.
func (l limited) each() (list []limited) {
	for _, code := range l.LimitedBy {
		l.code = code
		list = append(list, l)
	}
	if list == nil {
		list = []limited{l}
	}
	return list
}

// nameOf names the cause of a problem: problems with one remedy are one cause.
func nameOf(code results.Code) string {
	switch code { //nolint:exhaustive // the others have their own names
	case results.CodeHiccups, results.CodeMachineCPU, results.CodeSteal, results.CodeThrottled, results.CodeClock:
		return "machine"
	case results.CodeLag, results.CodeHeld, results.CodeProcessCPU:
		return "tool"
	case results.CodeWindow, results.CodeSamples:
		return "few-messages"
	case results.CodeRare:
		return "few-events"
	}
	return string(code)
}

// causeOf describes the cause of some limited numbers.
func (a *Answer) causeOf(alike []limited, cells []*results.Cell, all int) Cause {
	c := Cause{Name: nameOf(alike[0].code), Cells: len(cellsOf(alike)), Of: all}
	p := worst(alike, cells)
	c.verdict = p.Severity
	switch by := alike[0].code.By(); {
	case c.Name == "few-events":
		c.Text = fewEvents(alike)
	case c.Name == "few-messages":
		c.Text = fmt.Sprintf("%s has fewer than %d messages above it", reach(alike), histogram.MinAbove)
	case p.Text == "" && alike[0].code == results.CodeMissing:
		c.Text = "missing messages rank above " + words.Percentile(percentilesOf(alike)[0])
		if alike[0].NS == nil && alike[0].target.Ledger.Done == 0 {
			c.Text = "no message came back"
		}
	case p.Code != "" && p.Severity != results.Valid:
		c.Text, _, _ = strings.Cut(p.Text, "; ")
	default:
		c.Text = fmt.Sprintf("limited by %s %s", by, upwards(alike))
	}
	c.flags, c.command = a.remedy(c.Name, alike, cells)
	c.flags = a.fixed(c.flags)
	c.Remedy = strings.Join(slices.Concat(c.command, c.flags), " ")
	return c
}

// cellsOf returns the targets of numbers, each under each shape once.
func cellsOf(list []limited) []*Target {
	var cells []*Target
	for _, l := range list {
		cells = append(cells, l.target)
	}
	return group.Unique(cells)
}

// worst returns the gravest problem of the numbers' kind, and of those the one that limits most
// percentiles.
func worst(alike []limited, cells []*results.Cell) (p results.Problem) {
	for _, c := range cells {
		for _, q := range c.Problems {
			if !slices.ContainsFunc(alike, func(l limited) bool { return l.code == q.Code && slices.Contains(l.target.Cells, c.ID) }) {
				continue
			}
			if p.Code == "" || q.Severity.Worse(p.Severity) || q.Severity == p.Severity && q.Reach() > p.Reach() {
				p = q
			}
		}
	}
	return p
}

// percentilesOf returns the percentiles of numbers in ascending order.
func percentilesOf(list []limited) []float64 {
	var percentiles []float64
	for _, l := range list {
		percentiles = append(percentiles, l.Percentile)
	}
	return slices.Compact(slices.Sorted(slices.Values(percentiles)))
}

// reach names the percentiles of numbers: "p99" or "p99 to max".
func reach(list []limited) string {
	percentiles := percentilesOf(list)
	first, last := words.Percentile(percentiles[0]), words.Percentile(percentiles[len(percentiles)-1])
	if first == last {
		return first
	}
	return first + " to " + last
}

// upwards names the percentiles that are limited: "from p99 up", or "at p50".
func upwards(list []limited) string {
	percentiles := percentilesOf(list)
	if first := words.Percentile(percentiles[0]); len(percentiles) > 1 && percentiles[len(percentiles)-1] == 100 {
		return "from " + first + " up"
	}
	return "at " + reach(list)
}

// fewEvents says on how many events the lowest of the numbers rests, or how wide their intervals are.
func fewEvents(list []limited) string {
	lowest := percentilesOf(list)[0]
	least, most := 0., 0.
	for _, l := range list {
		if l.Percentile == lowest {
			most = max(most, l.Events)
			if least == 0 || l.Events < least {
				least = l.Events
			}
		}
	}
	switch {
	case most == 0 || least >= confidence.MinEvents:
		return "the interval of " + reach(list) + " is too wide"
	case fmt.Sprintf("%.0f", least) == fmt.Sprintf("%.0f", most):
		return fmt.Sprintf("%s rests on about %s", words.Percentile(lowest), words.Plural(int(math.Round(max(most, 1))), "event"))
	}
	return fmt.Sprintf("%s rests on %.0f to %.0f events", words.Percentile(lowest), max(least, 1), most)
}

// unseenPauses describes the pauses that are not excluded where the measured time is shortest.
func (a *Answer) unseenPauses(list []limited, all int) *Cause {
	shortest := slices.MinFunc(list, func(a, b limited) int { return cmp.Compare(a.target.WindowNS, b.target.WindowNS) })
	window := time.Duration(shortest.target.WindowNS)
	every := time.Duration(float64(results.UnseenPause) / results.Unseen(window, 0))
	lowest := slices.MinFunc(list, func(a, b limited) int { return cmp.Compare(a.Percentile, b.Percentile) })
	needs := float64(window) * results.Unseen(window, time.Duration(*lowest.NS)) / (1 - lowest.Percentile/100)
	c := Cause{Name: "rare-pauses", Cells: len(cellsOf(list)), Of: all}
	c.Text = fmt.Sprintf("no pause of %v came, but one every %v is not excluded and would raise %s", results.UnseenPause, every.Round(time.Second/10), reach(list))
	c.flags = a.fixed(longer(time.Duration(needs), len(lowest.target.Cells)))
	c.Remedy = strings.Join(c.flags, " ")
	return &c
}

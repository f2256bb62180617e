package comparison

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/internal/compare"
	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/internal/report/format"
	"github.com/brokerbench/brokerbench/results"
)

// footnotes are lines below a table that rows refer to by their number.
type footnotes []string

// mark adds the numbers of notes to a text, and the notes that are new.
func (n *footnotes) mark(text string, list ...string) string {
	var numbers []string
	for _, note := range list {
		if note == "" {
			continue
		}
		i := slices.IndexFunc(*n, func(line string) bool { return strings.HasSuffix(line, "] "+note) })
		if i < 0 {
			i = len(*n)
			*n = append(*n, fmt.Sprintf("[%d] %s", i+1, note))
		}
		numbers = append(numbers, fmt.Sprint(i+1))
	}
	if numbers == nil {
		return text
	}
	return text + " [" + strings.Join(numbers, ", ") + "]"
}

// rowNotes returns the notes on a row: why it is not comparable, which runs are left out of
// its interval, and its limits.
func rowNotes(r compare.Row) []string {
	list := []string{r.Reason}
	if len(r.LeftOut) > 0 {
		list = append(list, words.And(r.LeftOut)+" left out of the interval: far from the others")
	}
	if by := results.LimitsOf(r.LimitedBy); len(by) > 0 && r.Reason == "" {
		list = append(list, "limited by "+strings.Join(by, ", "))
	}
	return list
}

// answered counts the answers: "1 slower, 3 no difference shown".
func answered(c *compare.Comparison) string {
	counts := make(map[compare.Answer]int)
	for _, p := range c.Pairs {
		for _, r := range p.Rows {
			if r.Percentile < 100 {
				counts[r.Answer]++
			}
		}
		for _, f := range p.Faults {
			counts[f.Time.Answer]++
		}
		if a := p.Pauses.Answer; a == compare.MorePauses || a == compare.FewerPauses {
			counts[a]++
		}
	}
	return format.Tally(counts, compare.Slower, compare.Faster, compare.RunsHigher, compare.RunsLower,
		compare.Longer, compare.Shorter, compare.MorePauses, compare.FewerPauses, compare.NoDifference, compare.NotComparable)
}

// meaning explains the answers and their confidence.
func meaning(c *compare.Comparison) string {
	if c.Judged == 0 {
		return "Response times are those of all runs of a side together. No percentile can be judged."
	}
	return fmt.Sprintf("Response times are those of all runs of a side together, and NEW/BASE is their ratio. Its interval is by how the runs "+
		"differ, which are taken as independent. If nothing changed, %s judged will say %q with %g %% confidence. \"shows\" is the smallest ratio that such runs show in 80 of 100 comparisons; \"1.1 needs\" is how many runs "+
		"a side show one of 1.1 as often. The maximum is the longest of all runs, and not judged.",
		format.AllOf(c.Judged, "percentile"), compare.NoDifference, 100*c.Confidence)
}

// balanced says how to measure.
const balanced = "Measure by turns, each side first as often: with ab, as two targets of one plan with --repeat 8, or in short runs, A B B A, that are joined"

func remarks(c *compare.Comparison) (lines []string) {
	explain := func(is func(compare.Pair) bool, text string) {
		if slices.ContainsFunc(c.Pairs, is) {
			lines = append(lines, text)
		}
	}
	explain(func(p compare.Pair) bool { return p.Base.Ledger.Missing()+p.New.Ledger.Missing() > 0 },
		"messages: done + F failed + L lost + U unsent = due, in all runs; missing ones rank above every response (≥, ?)")
	for _, p := range c.Pairs {
		if s := p.Pauses; s.Base != nil && s.Base.Seconds+s.New.Seconds > 0 {
			lines = append(lines, fmt.Sprintf("pauses: in how many seconds responses took %s ms or longer, and in how many of the runs; judged by how the runs rank", format.Millis(&s.Base.LeastNS)))
			break
		}
	}
	explain(func(p compare.Pair) bool { return p.Method == compare.OneASide },
		"note: one run on each side shows that these two runs differ, not that the systems do: the next two may differ the other way. Only repeats show it (run --repeat 5)")
	explain(func(p compare.Pair) bool { return p.Method == compare.OneAgainst },
		"note: one run against repeats: it is assumed to vary as much as the repeats do")
	explain(func(p compare.Pair) bool { return p.Order == compare.InARow },
		"note: all runs of one side were over before those of the other. Any change of the machine in between counts as a change of the target: "+
			"where runs vary by 1 %, a difference of 2 % between two sessions makes two of three comparisons of a system with itself say slower or "+
			"faster. "+balanced)
	explain(func(p compare.Pair) bool { return p.Order == compare.SameFirst },
		"note: one side came first in most turns. A machine that becomes slower then slows the other side more, so the runs are not judged as pairs, "+
			"which shows less. "+balanced)
	for _, u := range c.Unpaired {
		lines = append(lines, fmt.Sprintf("only in %s: %s", u.Side, u.Title))
	}
	for _, d := range c.Unequal {
		lines = append(lines, "UNEQUAL, compared by force: "+d.String())
	}
	if c.JudgedGates > 0 && c.Judged > 0 {
		lines = append(lines, fmt.Sprintf("The interval of a gate differs from that in the table: its confidence is for %s together, and that of the table for %s.",
			words.Plural(c.JudgedGates, "gate"), words.Plural(c.Judged, "percentile")))
	}
	return lines
}

// differences lists the differences in settings and environment: in text a line for each place,
// in Markdown a folded list.
func differences(d *document.Document, list []compare.Difference) {
	if len(list) == 0 {
		return
	}
	var lines []string
	where, items := "", ""
	for _, each := range list {
		items += "- " + document.Escape(each.String()) + "\n"
		text := fmt.Sprintf("%s %s against %s", each.Name, each.Base, each.New)
		if each.Where == where {
			lines[len(lines)-1] += "; " + text
			continue
		}
		where = each.Where
		lines = append(lines, fmt.Sprintf("differs, %s: %s", where, text))
	}
	for _, line := range lines {
		d.Add(document.Wrap(line)+"\n", "")
	}
	d.Add("", fmt.Sprintf("<details><summary>What differs in settings and environment: %d</summary>\n\n%s\n</details>\n", len(list), items))
}

// origin names a result set and when it was measured.
func origin(dir string, started time.Time) string {
	if started.IsZero() {
		return dir
	}
	return fmt.Sprintf("%s (%s)", dir, format.Moment(started))
}

// conditionLines lists the results of a condition of --fail-on: the pairs that failed, those that
// are not decided and those that passed, with their intervals.
func conditionLines(o compare.Outcome) (lines []string) {
	for _, part := range []struct {
		text   string
		result compare.Result
	}{{"FAILED", compare.Failed}, {"NOT DECIDED", compare.NotDecided}, {"passed", compare.Passed}} {
		var list []string
		for _, g := range o.Gates {
			if g.Result == part.result {
				list = append(list, Gate(o, g))
			}
		}
		if list != nil {
			lines = append(lines, fmt.Sprintf("fail on %s: %s: %s", o.Condition, part.text, strings.Join(list, "; ")))
		}
	}
	return lines
}

// Gate names the cells of a gate, with its value and interval, and why it is not decided.
func Gate(o compare.Outcome, g compare.Gate) string {
	list := []string{gateInterval(o.Condition, g), g.Reason, g.Unseen}
	list = slices.DeleteFunc(list, func(text string) bool { return text == "" })
	if len(list) == 0 {
		list = []string{format.Nothing}
	}
	return g.Title + " (" + strings.Join(list, "; ") + ")"
}

// gateInterval writes a value and its bounds; "" if they exclude nothing.
func gateInterval(condition string, g compare.Gate) string {
	write := format.Factor
	switch {
	case strings.HasSuffix(condition, "/min"):
		write = func(v float64) string { return signed(v) + "/min" }
	case strings.HasPrefix(condition, string(compare.OfLoss)):
		write = func(v float64) string { return signed(100*v) + " %" }
	default:
		if text := interval(compare.Row{Low: g.Low, High: g.High, Level: 1}); text == format.Nothing {
			return ""
		}
	}
	switch {
	case g.Level == 0:
		return ""
	case g.High == nil:
		return "above " + write(*g.Low)
	}
	return fmt.Sprintf("%s, %s to %s", write(*g.Value), write(*g.Low), write(*g.High))
}

// signed writes a difference with three digits.
func signed(v float64) string {
	text := strconv.FormatFloat(v, 'g', 3, 64)
	if math.Abs(v) >= 1000 || v != 0 && math.Abs(v) < 1e-4 {
		text = strconv.FormatFloat(v, 'f', 4, 64)
	}
	if v > 0 {
		return "+" + text
	}
	return text
}

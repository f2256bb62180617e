// Package comparison turns comparisons, rankings and histories of results into documents for people
// and programs. It judges nothing: packages compare, rank and history do.
package comparison

import (
	"fmt"
	"slices"
	"strings"

	"github.com/brokerbench/brokerbench/internal/compare"
	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/internal/report/format"
	"github.com/brokerbench/brokerbench/results"
)

// Compare shows the answers of each comparison. Markdown is for
// the comment of a pull request: the answers first, settings and environment folded
// away. As JSON it is {"comparisons": […]}.
func Compare(list []*compare.Comparison) *document.Document {
	var d document.Document
	for i, c := range list {
		if i > 0 {
			d.Add("\n", "")
		}
		comparison(&d, c)
	}
	d.Exact(compareTable(list), struct {
		Comparisons []*compare.Comparison `json:"comparisons"`
	}{list})
	return &d
}

func comparison(d *document.Document, c *compare.Comparison) {
	answers, meaning, base, next := answered(c), meaning(c), origin(c.Base.Dir, c.Base.Started), origin(c.New.Dir, c.New.Started)
	d.Add("", "### Latency: "+answers+"\n")
	for _, o := range c.FailOn {
		d.Say(conditionLines(o)...)
	}
	d.Add("answers: "+answers+"\n", "")
	d.Add("BASE "+base+"\nNEW  "+next+"\n", "BASE "+document.Escape(base)+"  \nNEW "+document.Escape(next)+"\n")
	if line := sessions(c); line != "" {
		d.Add(document.Wrap(line)+"\n", document.Escape(line)+"  \n")
	}
	var n footnotes
	pairs(d, c, &n)
	d.Say(n...)
	d.Add(document.Wrap(meaning)+"\n", document.Escape(meaning)+"\n")
	d.Say(remarks(c)...)
	differences(d, c.Differences)
}

// sessions warns of sides that are different runs and were not measured by turns.
func sessions(c *compare.Comparison) string {
	base, _, _ := strings.Cut(c.Base.Dir, "@")
	next, _, _ := strings.Cut(c.New.Dir, "@")
	apart := func(p compare.Pair) bool { return p.Order == "" || p.Order == compare.InARow }
	if base == next || !slices.ContainsFunc(c.Pairs, apart) {
		return ""
	}
	return "Two sessions: of comparisons of a system with itself in two sessions, 18 to 75 % said slower or faster."
}

// pairs shows the rows of all pairs, those of each pair below its name.
func pairs(d *document.Document, c *compare.Comparison, n *footnotes) {
	head := []string{"", "BASE ms", "NEW ms", "NEW/BASE", "interval", "shows", "1.1 needs", "answer"}
	all := document.Table{Head: append([]string{"cell"}, head...), Align: "llrrrrrrl"}
	var groups []document.Group
	for _, p := range c.Pairs {
		name, runs := pairName(p), runsOf(p)
		group := document.Group{Title: name + ": " + runs, Rows: pairRows(p, n)}
		for i, row := range group.Rows {
			cell := ""
			if i == 0 {
				cell = fmt.Sprintf("%s (%s)", name, runs)
			}
			all.Rows = append(all.Rows, append([]string{cell}, row...))
			if answer := row[len(row)-1]; isChange(answer) {
				all.Bold = append(all.Bold, answer)
			}
		}
		groups = append(groups, group)
	}
	d.ShowAs(document.Table{Head: head, Align: "rrrrrrrl"}.Grouped(groups), all)
}

// isChange reports whether an answer, which may have notes, is a change.
func isChange(answer string) bool {
	return slices.ContainsFunc([]compare.Answer{compare.Slower, compare.Faster, compare.MorePauses, compare.FewerPauses, compare.Longer, compare.Shorter},
		func(a compare.Answer) bool { return strings.HasPrefix(answer, string(a)) })
}

func pairName(p compare.Pair) string {
	if p.New.ID != p.Base.ID {
		return p.Base.Title() + " → " + p.New.Title()
	}
	return p.Base.Title()
}

// runsOf says how many runs a pair has, and in which order they were measured.
func runsOf(p compare.Pair) string {
	text := fmt.Sprintf("%s against %d", words.Plural(len(p.Base.IDs), "run"), len(p.New.IDs))
	if p.Order != "" && p.Order != compare.Mixed {
		text += ", " + string(p.Order)
	}
	return text
}

// pairRows returns the percentiles of a pair, the maximum, pauses if there are any, and the
// ledgers.
func pairRows(p compare.Pair, n *footnotes) (rows [][]string) {
	for _, r := range p.Rows {
		name, base, next := words.Percentile(r.Percentile), format.Millis(r.BaseNS), format.Millis(r.NewNS)
		if r.Percentile == 100 {
			name, base, next = "max", longest(p.Base), longest(p.New)
		}
		rows = append(rows, append([]string{name, base, next}, answerFields(r, n)...))
	}
	if s := p.Pauses; s.Base != nil && s.Base.Seconds+s.New.Seconds > 0 {
		rows = append(rows, []string{"pauses", pauses(s.Base, p.Base), pauses(s.New, p.New), "", "", "", "", n.mark(string(s.Answer), s.Reason)})
	}
	rows = append(rows, faultRows(p, n)...)
	return append(rows, []string{"messages", format.Ledger(p.Base.Ledger), format.Ledger(p.New.Ledger), "", "", "", "", doubt(p)})
}

// faultRows shows how long things took after each fault, in ms like the rest of the table, and the
// acknowledged messages that are lost.
func faultRows(p compare.Pair, n *footnotes) (rows [][]string) {
	for _, f := range p.Faults {
		values := []string{n.mark(f.What, f.Fault), fault(f.Time.BaseNS), fault(f.Time.NewNS)}
		rows = append(rows, append(values, answerFields(f.Time, n)...))
	}
	if l := p.Lost; l != nil {
		rows = append(rows, []string{"acked+lost", fmt.Sprint(l.Base), fmt.Sprint(l.New), "", "", "", "", ""})
	}
	return rows
}

// fault writes how long something took; - if that is unknown in any run.
func fault(ns *int64) string {
	if ns == nil {
		return "-"
	}
	return format.Millis(ns)
}

// answerFields returns the columns of a row behind the values of both sides.
func answerFields(r compare.Row, n *footnotes) []string {
	ratio, needs := "-", "-"
	if r.Ratio != nil {
		ratio = format.Factor(*r.Ratio)
	}
	if r.RepeatsFor10 != nil {
		needs = words.Plural(*r.RepeatsFor10, "run")
	}
	return []string{ratio, interval(r), smallest(r.Shows), needs, n.mark(string(r.Answer), rowNotes(r)...)}
}

// pauses writes the number of seconds with a pause, and that of the runs with any.
func pauses(p *compare.Paused, c compare.Cells) string {
	if len(c.IDs) == 1 {
		return fmt.Sprint(p.Seconds) + " s"
	}
	return fmt.Sprintf("%d s in %d/%d", p.Seconds, p.Runs, len(c.IDs))
}

func longest(c compare.Cells) string {
	return format.Maximum(c.MaxNS, c.Ledger.Done, c.Ledger.Missing())
}

// interval writes the bounds of the ratio. One that excludes little is words.
func interval(r compare.Row) string {
	low, high := r.Low != nil && *r.Low > 1./format.SaysNothing, r.High != nil && *r.High < format.SaysNothing
	switch {
	case r.Level == 0:
		return "-"
	case !low && !high:
		return format.Nothing
	case r.High == nil:
		return "above " + format.Factor(*r.Low)
	case r.Low == nil:
		return "below " + format.Factor(*r.High)
	}
	return format.Factor(*r.Low) + "–" + format.Factor(*r.High)
}

// smallest writes the smallest ratio that is shown; - if it is unknown.
func smallest(ratio *float64) string {
	switch {
	case ratio == nil:
		return "-"
	case *ratio >= format.SaysNothing:
		return "nothing"
	}
	return format.Factor(*ratio)
}

// doubt names the verdicts that are not good.
func doubt(p compare.Pair) string {
	var sides []string
	for _, side := range []struct {
		name    string
		verdict results.Verdict
	}{{"BASE", p.Base.Verdict}, {"NEW", p.New.Verdict}} {
		if side.verdict != results.Valid {
			sides = append(sides, side.name+" is "+format.Verdict(side.verdict))
		}
	}
	return strings.Join(sides, ", ")
}

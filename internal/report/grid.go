package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/brokerbench/brokerbench/internal/answer"
	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/internal/report/format"
	"github.com/brokerbench/brokerbench/results"
)

// mostColumns is how many targets are beside each other in a grid of targets and shapes.
const mostColumns = 6

// mostRefused is the longest reason of a refusal in the grid; the line below has all of it.
const mostRefused = 40

// mostName is the widest name of a target beside a load.
const mostName = 16

// grid shows the numbers of all targets in the order of the plan: a row for each target or shape,
// or of several targets and shapes one percentile of each.
func grid(d *document.Document, run results.Run, a *answer.Answer, cells []*results.Cell) {
	if len(a.Shapes) == 0 {
		return
	}
	common, own := a.Titles()
	targets := targetsOf(run, a)
	heading := []string{common, times(run, a, len(targets))}
	if len(targets) == 1 {
		heading = append(targets[:1:1], heading...)
	}
	heading = append(heading, "response in ms from due")
	d.Title(strings.Join(slices.DeleteFunc(heading, func(part string) bool { return part == "" }), ", "))
	level, refused := levelsOf(cells), refusedOf(run)
	sparse := func(s answer.Shape) bool { return len(s.Targets) == 1 }
	if len(a.Shapes) > 1 && len(targets) > 1 && len(targets) <= mostColumns && !slices.ContainsFunc(a.Shapes, sparse) {
		maps.Copy(level, refused)
		d.Show(crossed(a, own, targets, level))
		return
	}
	d.ShowFitting(rows(a, own, targets, level, refused), "p75", "p90", "p95", "p99.99", "95 %")
}

// targetsOf returns the names of the plan's targets, or of those in an answer without a plan.
func targetsOf(run results.Run, a *answer.Answer) (names []string) {
	for _, t := range run.Plan.Targets {
		names = append(names, t.Name)
	}
	for _, s := range a.Shapes {
		for _, t := range s.Targets {
			if !slices.Contains(names, t.Name) {
				names = append(names, t.Name)
			}
		}
	}
	return names
}

// times says for how long each cell is measured, how often, and in which order.
func times(run results.Run, a *answer.Answer, targets int) string {
	repeats := 1
	for _, s := range a.Shapes {
		repeats = max(repeats, s.Repeats)
	}
	text := words.About(run.Plan.Settings.Duration)
	if run.Plan.Settings.Duration == 0 { // of a result without a plan
		return ""
	}
	if repeats > 1 {
		text = fmt.Sprintf("%d × %s", repeats, text)
	}
	if repeats > 1 && targets > 1 {
		text += ", interleaved"
	}
	return text
}

// levelsOf returns the durability of each target; empty if none promises anything.
func levelsOf(cells []*results.Cell) map[string]string {
	levels := make(map[string]string)
	for _, t := range promises(backings("", cells)) {
		levels[t.name] = t.String()
	}
	return levels
}

// refusedOf returns which targets were refused for their durability, and why.
func refusedOf(run results.Run) map[string]string {
	refused, planned := make(map[string]string), run.Plan.Cells()
	for i, e := range run.Cells {
		if e.Refused != "" && i < len(planned) && planned[i].ID() == e.ID {
			refused[planned[i].Target.Name] = words.Clip("refused: "+strings.ReplaceAll(e.Refused, "the server's ", ""), mostRefused)
		}
	}
	return refused
}

// rows has a row for each target under each shape.
func rows(a *answer.Answer, own, targets []string, level, refused map[string]string) document.Table {
	t := document.Table{Head: []string{"target", "load"}, Align: "llr"}
	for _, n := range a.Shapes[0].Targets[0].Response {
		t.Head = append(t.Head, words.Percentile(n.Percentile))
		if n.Percentile == a.Shapes[0].By {
			t.Head = append(t.Head, "95 %")
		}
	}
	t.Head = append(t.Head, "missing", "survives")
	for i, s := range a.Shapes {
		for _, name := range targets {
			target, ok := s.Target(name)
			if !ok {
				if len(a.Shapes) == 1 || refused[name] != "" {
					row := slices.Concat([]string{name, own[i]}, slices.Repeat([]string{"-"}, len(t.Head)-4), []string{"0", cmp.Or(refused[name], "-")})
					t.Rows = append(t.Rows, row)
				}
				continue
			}
			row := append([]string{name, own[i]}, numbers(target.Response, s.By)...)
			t.Rows = append(t.Rows, append(row, words.Count(target.Ledger.Missing()), cmp.Or(level[name], "-")))
		}
	}
	switch {
	case len(a.Shapes) == 1:
	case len(targets) == 1:
		t = t.Without("target")
	default:
		t.Gap = 1
		for _, row := range t.Rows {
			row[0] = words.Clip(row[0], mostName)
		}
	}
	return t.WithoutUsual("load", "").WithoutUsual("missing", "0").WithoutUsual("survives", "-")
}

// crossed has a row for each shape and a column for each target, with one percentile.
func crossed(a *answer.Answer, own, targets []string, level map[string]string) document.Table {
	by := a.Shapes[0].By
	t := document.Table{Head: append([]string{words.Percentile(by)}, targets...), Align: "lr"}
	absent, survives, anything := []string{"missing"}, []string{"survives"}, false
	for _, name := range targets {
		missing := missingBy(a, name)
		absent, survives = append(absent, words.Count(missing)), append(survives, cmp.Or(narrow(level[name]), "-"))
		anything = anything || missing > 0
	}
	for i, s := range a.Shapes {
		row := []string{own[i]}
		for _, name := range targets {
			target, _ := s.Target(name)
			row = append(row, numberAt(target.Response, s.By))
		}
		t.Rows = append(t.Rows, row)
	}
	if anything {
		t.Rows = append(t.Rows, absent)
	}
	if len(level) > 0 {
		t.Rows = append(t.Rows, survives)
	}
	return t
}

// notVerified marks a level of durability that the broker could not be asked for.
const notVerified = "not verified"

// narrow leaves a level out that is not verified.
func narrow(level string) string {
	if strings.HasSuffix(level, notVerified) {
		return notVerified
	}
	return level
}

// missingBy counts the missing messages of a target.
func missingBy(a *answer.Answer, name string) (missing int64) {
	for _, s := range a.Shapes {
		target, _ := s.Target(name)
		missing += target.Ledger.Missing()
	}
	return missing
}

// numbers writes the percentiles of a series, and the interval of one of them.
func numbers(list []answer.Number, by float64) (fields []string) {
	for _, n := range list {
		if fields = append(fields, numberAt(list, n.Percentile)); n.Percentile == by {
			fields = append(fields, format.Interval(n.LowNS, n.HighNS))
		}
	}
	return fields
}

// numberAt writes one percentile of a series with its marks; - if it has none. An unknown one is at
// least the maximum, which is the last.
func numberAt(list []answer.Number, percentile float64) string {
	for _, n := range list {
		switch longest := list[len(list)-1]; {
		case n.Percentile != percentile:
		case n.NS != nil && n.AtLeast, n.NS == nil && longest.NS != nil:
			return format.AtLeast + format.Millis(longest.NS)
		case n.NS == nil:
			return "-"
		case n.Unseen:
			return format.Marked(n.NS, n.Usable) + format.Unseen
		default:
			return format.Marked(n.NS, n.Usable)
		}
	}
	return "-"
}

// beside shows the numbers that stand behind the answer: service, acknowledgements, the rate
// reached, and the floor if it is below every target.
func beside(d *document.Document, a *answer.Answer) {
	t := document.Table{Head: []string{"load", "target", "service", "ack p50", "ack", "reached", "done"}, Align: "llr"}
	var floors []string
	for _, s := range a.Shapes {
		by := words.Percentile(s.By)
		for _, target := range s.Targets {
			done := fmt.Sprintf("%d of %d", target.Ledger.Done, target.Ledger.Due)
			t.Rows = append(t.Rows, []string{
				by + ", " + s.Title, target.Name, numberAt(target.Service, s.By), numberAt(target.Ack, 50), numberAt(target.Ack, s.By),
				words.Rate(target.Reached), done,
			})
			if len(target.LeftOut) > 0 {
				floors = append(floors, fmt.Sprintf("Interrupted, so in no number: %s.", words.And(target.LeftOut)))
			}
		}
		switch floor, echo, below := s.Floor(); {
		case floor == nil:
		case below:
			floors = append(floors, fmt.Sprintf("floor of %s: %s takes %s ms at p50 and %s ms at %s", s.Title, echo, numberAt(floor, 50), numberAt(floor, s.By), by))
		default:
			floors = append(floors, fmt.Sprintf("floor of %s: this machine is too noisy to have one, %s is not below the targets", s.Title, echo))
		}
	}
	if len(t.Rows) > 0 {
		d.Say("Service is the time from when a message was sent until it was done, of targets with one repeat; ack is the time until it was acknowledged.")
		d.ShowFitting(t.WithoutUsual("ack p50", "-").WithoutUsual("ack", "-").WithoutUsual("service", "-"), "done")
		d.Note(floors...)
	}
}

package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/brokerbench/brokerbench/internal/answer"
	"github.com/brokerbench/brokerbench/internal/leaf/group"
	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/internal/report/format"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// A judged target has the outcomes of objectives under one shape, of all repeats together.
type judged struct {
	name, load string
	slos       []results.SLO
}

// objectives shows a row for each target with the outcomes of the objectives that the plan has,
// and why some are not decided. That no acknowledged message is lost, which every target with a
// store is asked for, is called audit.
func objectives(d *document.Document, a *answer.Answer, cells []*results.Cell, repeated []*results.Summary) {
	list, asked := judgedBy(a, cells, repeated)
	audited := slices.DeleteFunc(slices.Clone(list), func(j judged) bool { return j.outcome(plan.NothingLost()) == "-" })
	alone := len(asked) == 0
	if len(audited) > 0 {
		asked = append(asked, plan.NothingLost())
	}
	switch {
	case len(asked) == 0:
	case alone && !slices.ContainsFunc(audited, judged.lacks):
		names := words.Join(audited, "\n", func(j judged) string { return j.name })
		d.Note("audit ok: no acknowledged message of " + words.And(group.Unique(strings.Split(names, "\n"))) + " is missing")
	default:
		for some := range slices.Chunk(asked, mostObjectives) {
			d.Show(outcomes(list, some))
		}
		undecided(d, list)
		d.Gap()
	}
}

// mostObjectives is how many objectives have room beside each other.
const mostObjectives = 3

// judgedBy returns the outcomes in the order of the answer, and the objectives of the plan.
func judgedBy(a *answer.Answer, cells []*results.Cell, repeated []*results.Summary) (list []judged, asked []plan.Objective) {
	outcomes := answer.Outcomes(cells, repeated)
	for _, c := range cells {
		asked = append(asked, c.Plan.SLOs...)
	}
	_, own := a.Titles()
	for i, s := range a.Shapes {
		for _, t := range s.Targets {
			j := judged{t.Name, own[i], outcomes[t.Cells[0]]}
			for _, s := range j.slos {
				asked = append(asked, s.Objective)
			}
			list = append(list, j)
		}
	}
	// That nothing is lost is the last, asked for or not.
	asked = slices.DeleteFunc(group.Unique(asked), func(o plan.Objective) bool { return o == plan.NothingLost() })
	return list, asked
}

// outcomes has a row for each target under each shape, and a column for each objective.
func outcomes(list []judged, asked []plan.Objective) document.Table {
	t := document.Table{Head: []string{"target", "load"}, Gap: 1}
	for _, o := range asked {
		if o == plan.NothingLost() {
			t.Head = append(t.Head, "audit")
		} else {
			t.Head = append(t.Head, o.String())
		}
	}
	for _, j := range list {
		row := []string{words.Clip(j.name, mostName), j.load}
		for _, o := range asked {
			row = append(row, j.outcome(o))
		}
		t.Rows = append(t.Rows, row)
	}
	return t.WithoutUsual("load", "")
}

func (j judged) lacks() bool { return j.outcome(plan.NothingLost()) != "ok" }

// outcome writes the outcome of an objective with the measured value; - if it was not judged.
func (j judged) outcome(o plan.Objective) string {
	i := slices.IndexFunc(j.slos, func(s results.SLO) bool { return s.Objective == o })
	switch {
	case i < 0:
		return "-"
	case o != plan.NothingLost():
		return format.Outcome(j.slos[i].Outcome) + " " + value(j.slos[i])
	case j.slos[i].Outcome == results.Passed:
		return "ok"
	}
	return format.Outcome(j.slos[i].Outcome)
}

// value returns the measured value of an outcome, without its interval and reason.
func value(s results.SLO) string {
	return s.Text[:(strings.IndexAny(s.Text+";", "(;:"))]
}

// mostReasons is how many reasons of undecided objectives are shown.
const mostReasons = 3

// undecided gives the reasons of objectives that are not decided.
func undecided(d *document.Document, list []judged) {
	shown := 0
	for _, j := range list {
		for _, s := range j.slos {
			if s.Outcome != results.Inconclusive {
				continue
			}
			if shown++; shown <= mostReasons {
				d.Note(fmt.Sprintf("  %s %v: %s", strings.TrimSpace(j.name+" "+j.load), s.Objective, s.Text))
			}
		}
	}
	if shown > mostReasons {
		d.Note(fmt.Sprintf("  and %d more undecided", shown-mostReasons))
	}
}

package cli

import (
	"fmt"
	"strings"

	"github.com/brokerbench/brokerbench/cmd/internal/live"
	"github.com/brokerbench/brokerbench/internal/words"
	"github.com/brokerbench/brokerbench/measure/search"
	"github.com/brokerbench/brokerbench/plan"
)

// searching reports the progress of a search on stderr: a line for each probe, and
// during a probe what run shows, unless that leaves lines behind.
type searching struct {
	progress
	objectives []plan.Objective
}

func newSearching(s Streams, mode string, objectives []plan.Objective) *searching {
	t := &searching{progress: *newProgress(s, mode, nil), objectives: objectives}
	if _, lines := t.view.(*live.Lines); lines {
		t.view = live.Discard{}
	}
	return t
}

// begin says which probe comes next. Nobody knows how many there will be.
func (t *searching) begin(cell plan.Cell, n, _ int) {
	t.at = live.Position{Cell: cell, N: n}
	t.view.Begin(t.at.String(), cell.Settings.Warmup+cell.Settings.Duration)
}

// ended reports the answers of a probe.
func (t *searching) ended(p search.Probe) {
	t.view.Clear()
	if t.quiet {
		return
	}
	kind := ""
	if p.Confirm {
		kind = " to confirm"
	}
	texts := make([]string, len(p.Answers))
	for i, a := range p.Answers {
		texts[i] = fmt.Sprintf("%v %s, %s", t.objectives[i], a.Answer, a.Measured)
		if a.Reason != "" && (i == 0 || a.Reason != p.Answers[i-1].Reason) {
			texts[i] += " (" + a.Reason + ")"
		}
	}
	c := t.at.Cell
	fmt.Fprintf(t.w, "[%d] %s %s c%d at %d/s for %v%s: %s\n", t.at.N, c.Target.Name, words.Size(c.Shape.Size), c.Shape.Connections,
		p.Rate, p.Window, kind, strings.Join(texts, "; "))
}

package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/internal/agents/coordinator"
	"github.com/brokerbench/brokerbench/internal/leaf/words"
)

// agentsProgress shows how far all agents are with a cell. Their percentiles are known
// when they have delivered: before, there is nothing to add up.
type agentsProgress struct {
	n    int
	view *progress // nil before the first cell
	last time.Time
	cell int // the cell of that line
}

// linesEvery is how often a line is printed on an output where lines cannot be redrawn.
const linesEvery = 5 * time.Second

func (p *agentsProgress) show(now coordinator.Progress) {
	every := linesEvery
	if p.view != nil && p.view.every > 0 {
		every = p.view.every
	}
	if p.view == nil || p.view.quiet || p.view.at.N == p.cell && time.Since(p.last) < every {
		return
	}
	p.last, p.cell = time.Now(), p.view.at.N
	p.view.view.Begin(fmt.Sprintf("%v: %s", p.view.at, agentsSoFar(p.n, now)), 0)
}

func agentsSoFar(n int, now coordinator.Progress) string {
	s := now.Cell.Settings
	text := fmt.Sprintf("%v of %v on %s, %d due", now.Elapsed.Round(time.Second), s.Warmup+s.Duration, words.Plural(n, "agent"), now.Due)
	if now.Elapsed > s.Warmup+s.Duration {
		text = fmt.Sprintf("waiting for the results of %s", words.Plural(n, "agent"))
	}
	if now.Quiet != nil {
		text += "; not heard of for a while: " + strings.Join(now.Quiet, ", ")
	}
	return text
}

package coordinator

import (
	"fmt"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/internal/agents/attempt"
	"github.com/brokerbench/brokerbench/internal/agents/merge"
	"github.com/brokerbench/brokerbench/internal/agents/wire"
	"github.com/brokerbench/brokerbench/plan"
)

// Agents send back for each other in a ring: each what the next one sends. So no agent has
// another task than the others, and none sends less.

// echoed tells whether they do.
func (t *trial) echoed() bool { return t.cell.Settings.Echo == plan.EchoAgent && len(t.agents) > 1 }

// sender returns whose messages agent i sends back, and echoOf who sends back those of agent i.
func (t *trial) sender(i int) int { return (i + 1) % len(t.agents) }
func (t *trial) echoOf(i int) int { return (i + len(t.agents) - 1) % len(t.agents) }

// neighbour returns the agent whose messages agent i sends back, or nil if there is none.
func (c *Coordinator) neighbour(t *trial, i int) *wire.Neighbour {
	if !t.echoed() {
		return nil
	}
	j := t.sender(i)
	return &wire.Neighbour{Run: fmt.Sprintf("%s-%d", c.cfg.Run, t.first+j), Index: j}
}

// echoStart returns what the clock of agent i's echo shows at the start.
func (t *trial) echoStart(i int, start time.Duration) *wire.EchoStart {
	if !t.echoed() {
		return nil
	}
	own, other := t.state.Clock(t.agents[i].name), t.state.Clock(t.agents[t.echoOf(i)].name)
	return &wire.EchoStart{At: start + other.Offset, Bound: own.Bound + other.Bound}
}

// compared is what is known of an agent's clock while messages are due: how far it was from
// where it was at the start, and how well that was known each time.
type compared struct {
	n     int           // how often they were compared
	bound time.Duration // the most that the offset of the start was wrong by
	drift time.Duration // the most that the offset moved
}

// compareEvery is the time between two comparisons of the clocks, and compareBy of how many
// exchanges one is: fewer than before the start, as messages are due meanwhile.
const (
	compareEvery = 2 * time.Second
	compareBy    = 8
)

// sample has the clocks compared while messages are due, if times of two agents are, until
// the first agent delivers its result: the answers would wait for that.
func (c *Coordinator) sample(t *trial) {
	start, now := t.state.Start(), c.now()
	if !t.echoed() || start == 0 || now < start || now < t.next || c.delivering(t) {
		return
	}
	t.next = now + compareEvery
	for _, p := range t.agents {
		c.ask(t, p, compareBy)
	}
}

// delivering tells whether an agent has measured all, so that its result is on its way or here.
func (c *Coordinator) delivering(t *trial) bool {
	return slices.ContainsFunc(c.roster.all(), func(s seat) bool {
		return s.last.Key == t.key && (s.last.State == wire.Done || s.last.State == wire.Delivered)
	})
}

// compare takes what a comparison showed.
func (t *trial) compare(p *participant, clock attempt.Clock) {
	moved := (clock.Offset - t.state.Clock(p.name).Offset).Abs()
	p.compared.n++
	p.compared.drift = max(p.compared.drift, moved)
	p.compared.bound = max(p.compared.bound, moved+clock.Bound)
}

// bound writes into what an agent measured how well its clock and that of its echo agreed, all
// along the cell.
func (t *trial) bound(p *merge.Part) {
	if !t.echoed() || p.Cell == nil || p.Cell.Echo == nil || p.Cell.Echo.Clock == nil {
		return
	}
	clock := p.Cell.Echo.Clock
	clock.BoundNS, clock.DriftNS, clock.Exchanges = 0, 0, 0
	for _, i := range []int{p.Index, t.echoOf(p.Index)} {
		k := t.agents[i].compared
		clock.BoundNS += int64(max(k.bound, t.state.Clock(t.agents[i].name).Bound))
		clock.DriftNS += int64(k.drift)
		clock.Exchanges += k.n
	}
}

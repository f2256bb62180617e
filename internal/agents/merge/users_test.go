package merge

import (
	"testing"

	"github.com/brokerbench/brokerbench/internal/loopback"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
)

// The users of agents add up: those of one machine in sequence, and those of each agent in parallel.
func TestUsersOfAgentsAddUp(t *testing.T) {
	cell := shared(schedule.Constant)
	cell.Settings.Users = []plan.User{{Messages: 20}, {Messages: 20, Parallel: true}}
	system := loopback.Config{Delay: 2 * ms, Drop: 0.001}
	parts := agentsOf(t, cell, system, system, system)
	for _, p := range parts {
		if err := p.Check(cell, len(parts)); err != nil {
			t.Fatal(err)
		}
	}
	c, _ := sumOf(t, cell, parts)
	for i, u := range c.Users {
		due, count, missing := int64(0), int64(0), int64(0)
		for _, p := range parts {
			due, count, missing = due+p.Cell.Users[i].Due, count+p.Cell.Users[i].Worst.Count, missing+p.Cell.Users[i].Worst.Missing
		}
		if u.Due != due || u.Worst.Count != count || u.Worst.Missing != missing || len(u.NaiveNS) == 0 || len(u.Over) != 1 {
			t.Errorf("%v: %+v, want %d due, %d done, %d missing", u.Kind, u, due, count, missing)
		}
	}
	whole := c.Users[0].Due
	if alone := alone(t, system, cell); whole != alone.Users[0].Due {
		t.Errorf("%d users in sequence, and %d on one machine", whole, alone.Users[0].Due)
	}
	parts[1].Cell, parts[1].Log = nil, nil
	c, _ = sumOf(t, cell, parts)
	if u := c.Users[0]; u.Due != whole || u.Worst.Missing < whole/4 {
		t.Errorf("an agent was lost: %+v of %d", u, whole)
	}
}

func TestAPartWithOtherUsersIsRefused(t *testing.T) {
	cell := shared(schedule.Constant)
	parts := agentsOf(t, cell, loopback.Config{Delay: ms}, loopback.Config{Delay: ms})
	before := parts[0].Check(cell, 2)
	cell.Settings.Users = []plan.User{{Messages: 20}}
	if err := parts[0].Check(cell, 2); before != nil || err == nil {
		t.Errorf("%v before, then %v", before, err)
	}
}

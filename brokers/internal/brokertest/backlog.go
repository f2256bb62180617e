package brokertest

import (
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/backlog"
	"github.com/brokerbench/brokerbench/internal/record"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
)

// Backlog has group 0 leave, and return to a backlog beside live traffic. It wants each group to get all of both once,
// and nothing left on the broker.
func Backlog(t *testing.T, f requester.Factory, topology requester.Topology) {
	t.Helper()
	backlogOf(t, f, topology, schedule.Keys{})
}

// KeyedBacklog is Backlog of messages with keys, which keep their order.
func KeyedBacklog(t *testing.T, f requester.Factory, topology requester.Topology) {
	t.Helper()
	backlogOf(t, f, topology, keys)
}

func backlogOf(t *testing.T, f requester.Factory, topology requester.Topology, keys schedule.Keys) {
	t.Helper()
	const messages, due = 3000, 1000
	g, err := requester.Arrange(f, topology)
	if err == nil {
		err = requester.Keep(f, topology)
	}
	if err != nil {
		t.Fatal(err)
	}
	cell := plan.Cell{
		Shape:    plan.Shape{Rate: 200, Arrivals: schedule.Constant, Size: 256, Connections: 4, Topology: plan.Topology(topology), Backlog: plan.Backlog{Messages: messages}, Keys: keys},
		Settings: plan.Settings{Warmup: time.Second, Duration: 5 * time.Second, Timeout: 10 * time.Second},
	}
	if keys.Count > 0 {
		keyed(t, f, cell.Schedule().Seed)
	}
	cfg := record.Config(cell, schedule.Part{})
	b := backlog.New(g, cell, cfg, backlog.Options{})
	out, err := load.Run(t.Context(), b, cfg, returned{b}, load.Hooks{
		Ready: b.Ready(nil), Started: b.Started, Settled: func(func([]byte) (int, uint64, bool)) { b.Settle(t.Context()) },
	})
	if err != nil {
		t.Fatal(err)
	}
	r := b.Result(out)
	if out.Window.Done != due || r.Stored != messages || r.DrainNS == nil || r.Error != "" || len(out.Left) > 0 {
		t.Errorf("%v: ledger %+v, left %v, backlog %+v", topology, out.Window, out.Left, r)
	}
	for i, g := range out.Groups {
		if keys.Count > 0 && g.Disordered > 0 {
			t.Errorf("%v: %d messages of group %d are out of order", topology, g.Disordered, i)
		}
	}
	for _, g := range r.Groups {
		if g.Owed != messages || g.Missing+g.Duplicate+g.Corrupt > 0 || (g.Behind == messages) != (g.Number == 0) {
			t.Errorf("%v: %+v", topology, g)
		}
	}
}

// returned records what a backlog needs.
type returned struct{ *backlog.Backlog }

// Record implements [load.Recorder].
func (returned) Record(load.Op) {}

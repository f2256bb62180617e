package merge

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/judge"
	"github.com/brokerbench/brokerbench/internal/loopback"
	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/results"
)

// agentsOf measures a cell on so many agents at once, in virtual time: each on a system of
// its own, or all on the first if theirs is the same.
func agentsOf(t *testing.T, cell plan.Cell, systems ...loopback.Config) []Part {
	t.Helper()
	parts := make([]Part, len(systems))
	folders := make([]*results.CellFolder, len(systems))
	for i := range systems {
		folders[i] = newFolder(t, fmt.Sprintf("agent%d", i))
	}
	synctest.Test(t, func(t *testing.T) {
		start := time.Now().Add(time.Second)
		var all sync.WaitGroup
		f, err := loopback.New(systems[0])
		for i, system := range systems {
			if i > 0 && (!cell.Shape.Topology.Own() || !reflect.DeepEqual(system, systems[0])) { // groups have topics of their own
				f, err = loopback.New(system)
			}
			if err != nil {
				t.Fatal(err)
			}
			system := f
			all.Go(func() {
				p := Part{Agent: results.Agent{Name: fmt.Sprintf("a%d", i+1), Index: i}}
				a := &verdicts{judge.New(part(t, cell, i, len(systems)), judge.Here(false), nil), &p}
				c, err := measure.Cell(t.Context(), system, cell, measure.Options{
					Folder: folders[i], NewWaiter: load.SleepWaiter, Part: schedule.Part{Index: i, Of: len(systems)}, Analysis: a,
					Ready: func(context.Context) (time.Time, error) { return start, nil },
				})
				if p.Cell = c; err != nil {
					t.Error(err)
				}
				p.Log = func() (io.ReadCloser, error) { return folders[i].OpenIntervals() }
				parts[i] = p
			})
		}
		all.Wait()
	})
	return parts
}

// verdicts judges a part, and notes what only the raw numbers say.
type verdicts struct {
	*judge.Analysis

	part *Part
}

func (v *verdicts) Finish(c *results.Cell, raw measure.Raw) error {
	if v.part != nil {
		v.part.First, v.part.Last = raw.FirstDone, raw.LastDone
	}
	v.Describe(c, max(raw.DueTill-c.Plan.Settings.Warmup, 0))
	v.Judge(c)
	return nil
}

func part(t *testing.T, cell plan.Cell, i, of int) plan.Cell {
	t.Helper()
	cell, err := cell.Part(schedule.Part{Index: i, Of: of})
	if err != nil {
		t.Fatal(err)
	}
	return cell
}

// alone measures a cell in one process, in virtual time.
func alone(t *testing.T, system loopback.Config, cell plan.Cell) (c *results.Cell) {
	t.Helper()
	f, err := loopback.New(system)
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		o := measure.Options{NewWaiter: load.SleepWaiter, Analysis: &verdicts{judge.New(cell, judge.Here(false), nil), nil}}
		if c, err = measure.Cell(t.Context(), f, cell, o); err != nil {
			t.Fatal(err)
		}
	})
	return c
}

// newFolder returns a folder for a cell.
func newFolder(t *testing.T, id string) *results.CellFolder {
	t.Helper()
	store, err := results.Create(t.TempDir(), "test", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	folder, err := store.CreateCell(id)
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

const ms = time.Millisecond

func sumOf(t *testing.T, cell plan.Cell, parts []Part) (*results.Cell, *results.CellFolder) {
	t.Helper()
	folder := newFolder(t, "merged")
	c, err := Cell(cell, time.Unix(1, 0), parts, Options{Folder: folder})
	if err != nil {
		t.Fatal(err)
	}
	return c, folder
}

// shared is a cell that agents can share.
func shared(arrivals schedule.Arrivals) plan.Cell {
	return plan.Cell{
		Target:   plan.Target{Name: "loopback", URL: "loopback:"},
		Shape:    plan.Shape{Rate: 1000, Size: 64, Connections: 7, Arrivals: arrivals},
		Settings: plan.Settings{Duration: 8 * time.Second, Warmup: time.Second, Timeout: 5 * time.Second},
	}
}

// Three agents and one machine, each message on a system that behaves the same: the
// results are the same, to the last bucket.
func TestMergedIsWhatOneMachineMeasures(t *testing.T) {
	slow := []loopback.Phase{{At: 4 * time.Second, For: time.Second, Delay: 40 * ms}}
	system := loopback.Config{Delay: 2 * ms, Slow: slow}
	for _, arrivals := range []schedule.Arrivals{schedule.Constant, schedule.Poisson, schedule.Burst(5)} {
		cell := shared(arrivals)
		one, _ := sumOf(t, cell, agentsOf(t, cell, system))
		three, _ := sumOf(t, cell, agentsOf(t, cell, system, system, system))
		alone := alone(t, system, cell)
		for name, c := range map[string]*results.Cell{"one agent": one, "three agents": three} {
			if c.Ledger != alone.Ledger || c.WarmupLedger != alone.WarmupLedger || c.Verdict != alone.Verdict || c.OfferedPerS != alone.OfferedPerS {
				t.Errorf("%s, %s: %+v %s, want %+v %s", arrivals, name, c.Ledger, c.Verdict, alone.Ledger, alone.Verdict)
			}
			if math.Abs(c.ReachedPerS/alone.ReachedPerS-1) > 1e-9 {
				t.Errorf("%s, %s: reached %v/s, want %v", arrivals, name, c.ReachedPerS, alone.ReachedPerS)
			}
			for _, series := range []string{"response", "service", "lag", "held"} {
				got, want := c.Series(series), alone.Series(series)
				if got.Count != want.Count || got.MinNS != want.MinNS || got.MaxNS != want.MaxNS || got.MeanNS != want.MeanNS || got.StdDevNS != want.StdDevNS {
					t.Errorf("%s, %s: %s is %+v, want %+v", arrivals, name, series, got, want)
				}
				for i, row := range got.Percentiles {
					if *row.ValueNS != *want.Percentiles[i].ValueNS || row.SamplesAbove != want.Percentiles[i].SamplesAbove {
						t.Errorf("%s, %s: %s p%v is %d, want %d", arrivals, name, series, row.Percentile, *row.ValueNS, *want.Percentiles[i].ValueNS)
					}
				}
			}
		}
	}
}

// The files of the sum are those of a cell: the log has every message of every agent.
func TestMergingWritesTheFilesOfACell(t *testing.T) {
	cell := shared(schedule.Constant)
	c, folder := sumOf(t, cell, agentsOf(t, cell, loopback.Config{Delay: ms}, loopback.Config{Delay: 3 * ms}))
	file, err := folder.OpenIntervals()
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	log, err := histogram.ReadLog(file)
	if err != nil {
		t.Fatal(err)
	}
	sum, err := log.Merged("response")
	if err != nil || sum.Count() != c.Ledger.Done || c.Ledger.Done != 8000 {
		t.Errorf("the log has %v responses, %v; want %d", sum, err, c.Ledger.Done)
	}
	for i, e := range log.Entries {
		if e.Start%time.Second != 0 || i > 0 && e.Start < log.Entries[i-1].Start {
			t.Errorf("an interval begins at %v", e.Start)
		}
	}
	read, err := folder.Read()
	if err != nil || len(read.Agents) != 2 || read.Agents[1].Connections != 3 || read.Agents[0].Ledger.Due+read.Agents[1].Ledger.Due != read.Ledger.Due {
		t.Errorf("%+v, %v", read.Agents, err)
	}
	least, most, ok := results.AgentSpread(read.Agents, 99)
	if !ok || least.Name != "a1" || most.Name != "a2" {
		t.Errorf("p99 is from %s to %s, %v", least.Name, most.Name, ok)
	}
	if _, err := os.Stat(filepath.Join(folder.Dir(), results.ResponseFile)); err != nil {
		t.Error(err)
	}
}

// An agent that is lost: what it had to send is missing, and ranks above all.
func TestALostAgentsMessagesAreMissing(t *testing.T) {
	cell := shared(schedule.Poisson)
	parts := agentsOf(t, cell, loopback.Config{Delay: ms}, loopback.Config{Delay: ms}, loopback.Config{Delay: ms})
	whole, _ := sumOf(t, cell, parts)
	want := parts[1].Cell.Ledger.Due
	parts[1].Cell, parts[1].Log, parts[1].Lost = nil, nil, "killed"
	c, _ := sumOf(t, cell, parts)
	if c.Ledger.Due != whole.Ledger.Due || c.Ledger.Lost != want || c.Ledger.Check() != nil || c.Verdict != results.Invalid {
		t.Errorf("%+v, %s; want %d due and %d lost", c.Ledger, c.Verdict, whole.Ledger.Due, want)
	}
	if row, _ := c.Response.At(99); row.ValueNS != nil {
		t.Error("p99 is known, although a third of the messages are missing")
	}
	p, ok := c.Problem(results.CodeAgents)
	if !ok || !strings.Contains(p.Text, fmt.Sprintf("agent a2 was lost (killed): the %d messages that it had to send", want)) {
		t.Errorf("%+v", p)
	}
}

// What an agent's machine did becomes a problem of the cell, once, with its name.
func TestProblemsOfAgentsBecomeTheCells(t *testing.T) {
	cell := shared(schedule.Constant)
	parts := agentsOf(t, cell, loopback.Config{Delay: ms}, loopback.Config{Delay: ms}, loopback.Config{Delay: ms})
	tail := results.Problem{Code: results.CodeMachineCPU, Severity: results.Valid, Text: "busy", Limits: []results.Limit{{Series: "response", Percentiles: []float64{99}}}}
	parts[1].Cell.Problems = append(parts[1].Cell.Problems, tail)
	tail.Limits = []results.Limit{{Series: "response", Percentiles: []float64{99.9}}}
	parts[2].Cell.Problems = append(parts[2].Cell.Problems, tail)
	parts[2].Clock.LateNS = int64(time.Second)
	c, _ := sumOf(t, cell, parts)
	p, ok := c.Problem(results.CodeMachineCPU)
	if !ok || p.Text != "agents a2, a3: busy" || len(p.Limits) != 1 || !slices.Equal(p.Limits[0].Percentiles, []float64{99, 99.9}) {
		t.Errorf("%+v", p)
	}
	if row, _ := c.Response.At(99); row.Usable() {
		t.Error("p99 is usable")
	}
	if late, ok := c.Problem(results.CodeAgents); !ok || !strings.Contains(late.Text, "agent a3 began 1,000 ms after") && !strings.Contains(late.Text, "agent a3 began 1000") {
		t.Errorf("%+v", late)
	}
}

// A limit of the common start covers how well a clock is known and how late the agent began.
func TestALimitOfTheStartCoversLateness(t *testing.T) {
	cell := shared(schedule.Constant)
	parts := agentsOf(t, cell, loopback.Config{Delay: ms}, loopback.Config{Delay: ms})
	parts[1].Clock.BoundNS, parts[1].Clock.LateNS = int64(100*time.Microsecond), int64(40*ms)
	for limit, want := range map[time.Duration]bool{0: false, 5 * ms: true, 50 * ms: false} {
		parts[1].Clock.LimitNS = int64(limit)
		c, _ := sumOf(t, cell, parts)
		if p, ok := c.Problem(results.CodeAgents); ok != want || ok && p.Text != "agent a2 began within ±40.1 ms of the common start, and --max-skew is 5ms" {
			t.Errorf("%v: %+v", limit, p)
		}
	}
}

// A clock that stood still is no clock; one that is as fast as clocks are, or not known any better,
// is no problem.
func TestAnAgentsClockThatStoodStill(t *testing.T) {
	cell := shared(schedule.Constant)
	parts := agentsOf(t, cell, loopback.Config{Delay: ms}, loopback.Config{Delay: ms})
	for drift, want := range map[time.Duration]string{
		-5 * time.Second: "the clock of agent a2 lost 5", 40 * ms: "the clock of agent a2 gained 40", 4 * ms: "", -6 * ms: "",
	} {
		moved := int64(drift)
		parts[1].Clock.DriftNS, parts[1].Clock.DriftBoundNS, parts[1].Clock.DriftOverNS = &moved, int64(2*ms), int64(10*time.Second)
		c, _ := sumOf(t, cell, parts)
		p, ok := c.Problem(results.CodeAgents)
		if ok != (want != "") || !strings.Contains(p.Text, want) || ok && p.Severity != results.Suspect {
			t.Errorf("%v: %+v, want %q", drift, p, want)
		}
	}
}

// A log that was cut short is refused: its sum would be wrong.
func TestMergingWantsWholeLogs(t *testing.T) {
	cell := shared(schedule.Constant)
	parts := agentsOf(t, cell, loopback.Config{Delay: ms}, loopback.Config{Delay: ms})
	whole := parts[1].Log
	parts[1].Log = func() (io.ReadCloser, error) {
		file, err := whole()
		if err != nil {
			return nil, err
		}
		text, err := io.ReadAll(file)
		return io.NopCloser(strings.NewReader(string(text[:len(text)*2/3]))), err
	}
	if _, err := Cell(cell, time.Unix(1, 0), parts, Options{}); err == nil || !strings.Contains(err.Error(), "a log was cut short; agent a2: ") || strings.Contains(err.Error(), "agent a1") {
		t.Error(err)
	}
}

// The audits of agents count their own connections; the cell's are those of the whole.
func TestAuditsOfAgentsAddUp(t *testing.T) {
	list := []*results.Audit{
		{Acked: 10, Kept: 9, Missing: 1, Read: 9, First: &results.MessageID{Conn: 1, Seq: 4}, Last: &results.MessageID{Conn: 1, Seq: 4}, Some: []results.MessageID{{Conn: 1, Seq: 4}}},
		{Acked: 10, Kept: 9, Missing: 1, Read: 9, First: &results.MessageID{Conn: 0, Seq: 7}, Last: &results.MessageID{Conn: 0, Seq: 7}, Some: []results.MessageID{{Seq: 7}}},
	}
	var parts []Part
	for i, a := range list {
		parts = append(parts, Part{Agent: results.Agent{Name: fmt.Sprint(i), Index: i}, Cell: &results.Cell{Audit: a}})
	}
	sum := audits(parts)
	if sum.Acked != 20 || sum.Missing != 2 || *sum.First != (results.MessageID{Conn: 1, Seq: 7}) || *sum.Last != (results.MessageID{Conn: 2, Seq: 4}) || sum.Error != "" {
		t.Errorf("%+v, first %v, last %v", sum, sum.First, sum.Last)
	}
	parts = append(parts, Part{Agent: results.Agent{Name: "c", Index: 2}})
	if sum := audits(parts); sum.Error == "" {
		t.Error("an audit without an agent is whole")
	}
	if audits([]Part{{Cell: &results.Cell{}}}) != nil {
		t.Error("nobody looked")
	}
}

// One agent that stopped before the others: its schedule went on without it.
func TestAnAgentThatStoppedEarlyOwesTheRest(t *testing.T) {
	cell := shared(schedule.Constant)
	parts := agentsOf(t, cell, loopback.Config{Delay: ms}, loopback.Config{Delay: ms})
	whole, _ := sumOf(t, cell, parts)
	short := cell
	short.Settings.Duration = 3 * time.Second
	stopped := agentsOf(t, short, loopback.Config{Delay: ms}, loopback.Config{Delay: ms})
	stopped[1].Cell.Interrupted = true
	c, _ := sumOf(t, cell, []Part{parts[0], stopped[1]})
	if c.Ledger.Due != whole.Ledger.Due || c.Ledger.Unsent != parts[1].Cell.Ledger.Due-stopped[1].Cell.Ledger.Due || c.Interrupted || c.Ledger.Check() != nil {
		t.Errorf("%+v, interrupted: %v; want %d due", c.Ledger, c.Interrupted, whole.Ledger.Due)
	}
	stopped[0].Cell.Interrupted = true
	c, _ = sumOf(t, cell, stopped)
	if !c.Interrupted || c.OfferedPerS != 1000 || c.Ledger.Due != 3000 {
		t.Errorf("%+v at %v/s, interrupted: %v", c.Ledger, c.OfferedPerS, c.Interrupted)
	}
}

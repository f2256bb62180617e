package measure

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/loopback"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/results"
)

// withGroups measures a cell of two groups, of which group 1 is slower by 4 ms, and loses one of a hundred deliveries.
func withGroups(t *testing.T, cell plan.Cell) (c *results.Cell, folder *results.CellFolder) {
	t.Helper()
	folder = newFolder(t, newStore(t), "cell")
	synctest.Test(t, func(t *testing.T) {
		f, err := loopback.New(loopback.Config{Groups: []loopback.Config{{Delay: ms}, {Delay: 5 * ms, Drop: 0.01}}})
		if err != nil {
			t.Fatal(err)
		}
		if c, err = Cell(t.Context(), f, cell, Options{Folder: folder, NewWaiter: load.SleepWaiter}); err != nil {
			t.Fatal(err)
		}
	})
	return c, folder
}

// Group 1 is slower than group 0 by 4 ms, and loses one of a hundred deliveries.
func TestGroupsHaveTheirSeriesAndLedgers(t *testing.T) {
	cell := cellOf(100, 10*time.Second)
	cell.Shape.Connections, cell.Shape.Topology = 5, plan.Topology{Topics: 2, Groups: 2, Members: 2}
	cell.Settings.Warmup, cell.Settings.Timeout = time.Second, time.Second
	c, _ := withGroups(t, cell)
	lost := c.Ledger.Lost
	if c.Ledger.Due != 1000 || lost < 9 || lost > 11 || c.Ledger.Done+lost != 1000 {
		t.Fatalf("%+v", c.Ledger)
	}
	for name, want := range map[string]struct {
		d              results.Distribution
		count, missing int64
		p50            time.Duration
	}{
		"first": {*c.First, 1000, 0, ms}, "each": {*c.Each, 2000 - lost, lost, ms}, "response": {c.Response, 1000 - lost, lost, 5 * ms},
	} {
		row, _ := want.d.At(50)
		if got, _ := row.Value(); want.d.Count != want.count || want.d.Missing != want.missing || got.Round(ms/10) != want.p50 {
			t.Errorf("%s: %d values, %d missing, p50 %v; want %+v", name, want.d.Count, want.d.Missing, got, want)
		}
	}
	if row, _ := c.Each.At(99.99); row.ValueNS != nil {
		t.Error("a missing delivery does not rank above the others")
	}
	if len(c.Groups) != 2 || c.Groups[0].Ledger != (results.Ledger{Due: 1000, Done: 1000}) || c.Groups[1].Ledger != (results.Ledger{Due: 1000, Done: 1000 - lost, Lost: lost}) {
		t.Fatalf("%+v", c.Groups)
	}
	for i, g := range c.Groups {
		if want := time.Duration(1+4*i) * ms; time.Duration(*g.P50NS).Round(ms/10) != want || len(g.Members) != 2 || g.Members[0]+g.Members[1] != g.Ledger.Done {
			t.Errorf("%+v, want a p50 of %v", g, want)
		}
		if want := time.Duration(1+4*i) * ms; len(g.MembersP99NS) != 2 || time.Duration(*g.MembersP99NS[0]).Round(ms/10) != want || time.Duration(*g.MembersP99NS[1]).Round(ms/10) != want {
			t.Errorf("p99 of the members %v, want %v", g.MembersP99NS, want)
		}
	}
	if c.Groups[0].Owed() != "" || c.Groups[1].Owed() == "" {
		t.Errorf("owed to group 0: %q, to group 1: %q", c.Groups[0].Owed(), c.Groups[1].Owed())
	}
	if c.Floor != nil || c.Audit != nil {
		t.Errorf("floor %+v, audit %+v", c.Floor, c.Audit)
	}
}

func TestATopologyIsRefusedBeforeTheTargetIsAsked(t *testing.T) {
	cell := cellOf(100, time.Second)
	cell.Shape.Topology = plan.Topology{Topics: 1, Groups: 2, Members: 1}
	var refused *requester.TopologyError
	if c, err := Cell(t.Context(), socketed{}, cell, Options{}); !errors.As(err, &refused) || c != nil {
		t.Fatalf("%+v, %v", c, err)
	}
}

// Java's HdrHistogram reads the series of groups from the interval log, and prints the percentile files that the cell has.
// The tests of package histogram download it.
func TestJavaReadsTheSeriesOfGroups(t *testing.T) {
	base, err := os.UserCacheDir()
	jar := filepath.Join(base, "brokerbench", "java", "HdrHistogram-2.2.2.jar")
	if _, missing := os.Stat(jar); err != nil || missing != nil {
		t.Skipf("no HdrHistogram of Java: %v", missing)
	}
	cell := cellOf(200, 5*time.Second)
	cell.Shape.Connections, cell.Shape.Topology = 2, plan.Topology{Topics: 2, Groups: 2, Members: 2}
	cell.Settings.Warmup = time.Second
	folder := newFolder(t, newStore(t), "cell")
	var c *results.Cell
	synctest.Test(t, func(t *testing.T) {
		f, err := loopback.New(loopback.Config{Groups: []loopback.Config{{Delay: ms}, {Delay: 5 * ms}}})
		if err != nil {
			t.Fatal(err)
		}
		if c, err = Cell(t.Context(), f, cell, Options{Folder: folder, NewWaiter: load.SleepWaiter}); err != nil {
			t.Fatal(err)
		}
	})
	for tag, want := range map[string]int64{"first": 1000, "each": 2000, "response": 1000, "group.0.0": c.Groups[0].Members[0], "group.1.1": c.Groups[1].Members[1]} {
		out, err := exec.Command("java", "-cp", jar, "org.HdrHistogram.HistogramLogProcessor", "-i", filepath.Join(folder.Dir(), results.IntervalsFile), "-tag", tag).Output()
		if err != nil {
			t.Skipf("no Java: %v", err)
		}
		java, err := histogram.ReadPercentiles(bytes.NewReader(out))
		if err != nil || java.Count != want || want == 0 {
			t.Errorf("%s: Java reads %d values, %v; want %d", tag, java.Count, err, want)
		}
		if strings.HasPrefix(tag, "group") {
			continue // has no file
		}
		text, err := os.ReadFile(filepath.Join(folder.Dir(), tag+".hgrm"))
		if err != nil {
			t.Fatal(err)
		}
		ours, err := histogram.ReadPercentiles(bytes.NewReader(text))
		if err != nil || !reflect.DeepEqual(ours, java) {
			t.Errorf("%s: Java prints %+v, and the file has %+v, %v", tag, java, ours, err)
		}
	}
}

// With several sizes each has the deliveries of its messages: group 1 loses some of both.
func TestGroupsHaveSeriesOfEachSize(t *testing.T) {
	cell := cellOf(500, 8*time.Second)
	cell.Shape.Connections, cell.Shape.Topology = 4, plan.Topology{Topics: 2, Groups: 2, Members: 1}
	cell.Shape.Size, cell.Shape.Sizes = 0, "64B:70%,4096B:30%"
	cell.Settings.Warmup, cell.Settings.Timeout = time.Second, time.Second
	c, folder := withGroups(t, cell)
	if c.Ledger.Due != 4000 || c.Ledger.Lost == 0 || len(c.Sizes) != 2 {
		t.Fatalf("%+v, %d sizes", c.Ledger, len(c.Sizes))
	}
	var sum results.Ledger
	for i, s := range c.Sizes {
		sum.Add(s.Ledger)
		if s.First.Count != s.Ledger.Due || s.First.Missing != 0 || s.Each.Count != 2*s.Ledger.Due-s.Ledger.Lost || s.Each.Missing != s.Ledger.Lost || s.Response.Count != s.Ledger.Done {
			t.Errorf("%d B: %+v, first %d and %d missing, each %d and %d, response %d", s.Bytes, s.Ledger, s.First.Count, s.First.Missing, s.Each.Count, s.Each.Missing, s.Response.Count)
		}
		for _, series := range []string{"first", "each", "response"} {
			text, err := os.ReadFile(filepath.Join(folder.Dir(), results.OfSize(series, i)+".hgrm"))
			if p, bad := histogram.ReadPercentiles(bytes.NewReader(text)); err != nil || bad != nil || p.Count != c.Series(results.OfSize(series, i)).Count {
				t.Errorf("%d B: the file of %s has %d values, %v, %v", s.Bytes, series, p.Count, err, bad)
			}
		}
	}
	if sum != c.Ledger || c.Sizes[0].Ledger.Due < 2*c.Sizes[1].Ledger.Due || c.Sizes[0].Ledger.Lost*c.Sizes[1].Ledger.Lost == 0 {
		t.Errorf("the sizes are %+v and %+v of %+v", c.Sizes[0].Ledger, c.Sizes[1].Ledger, c.Ledger)
	}
}

// An arranged factory notes which topologies it is given.
type arranged struct {
	requester.Grouper

	taken []requester.Topology
}

func (a *arranged) TakeTopology(t requester.Topology) error {
	a.taken = append(a.taken, t)
	return a.Grouper.TakeTopology(t)
}

// A factory of one of two machines hears of the topics and members of that machine only.
func TestAPartHasATopologyOfItsOwn(t *testing.T) {
	cell := cellOf(100, 3*time.Second)
	cell.Shape.Connections, cell.Shape.Topology = 4, plan.Topology{Topics: 4, Groups: 2, Members: 2}
	cell.Settings.Warmup = time.Second
	synctest.Test(t, func(t *testing.T) {
		system, err := loopback.New(loopback.Config{Delay: ms})
		if err != nil {
			t.Fatal(err)
		}
		f := &arranged{Grouper: system}
		if _, err := Cell(t.Context(), f, cell, Options{Part: schedule.Part{Index: 1, Of: 2}, NewWaiter: load.SleepWaiter}); err != nil {
			t.Fatal(err)
		}
		want := requester.Topology{Topics: 2, Groups: 2, Members: 1}
		if len(f.taken) == 0 || slices.ContainsFunc(f.taken, func(t requester.Topology) bool { return t != want }) {
			t.Errorf("%v, want %v each time", f.taken, want)
		}
	})
}

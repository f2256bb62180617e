package merge

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/loopback"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/results"
)

// grouped is a cell with groups of consumers that two agents can share.
func grouped() plan.Cell {
	cell := shared(schedule.Poisson)
	cell.Shape.Topology = plan.Topology{Topics: 4, Groups: 3, Members: 4}
	return cell
}

// Two agents, each with topics and members of its own, and one machine: first, each, last and what each group
// got are the same, to the last bucket.
func TestMergedGroupsAreThoseOfOneMachine(t *testing.T) {
	cell, slow := grouped(), loopback.Config{Delay: 9 * ms}
	cell.Shape.Size, cell.Shape.Sizes = 0, "64B:90%,4096B:10%"
	system := loopback.Config{Groups: []loopback.Config{{Delay: ms}, slow, {Delay: 2 * ms}}}
	alone := alone(t, system, cell)
	parts := agentsOf(t, cell, system, system)
	for i, p := range parts {
		if err := p.Check(cell, 2); err != nil {
			t.Fatalf("part %d: %v", i, err)
		}
	}
	c, _ := sumOf(t, cell, parts)
	if c.Ledger != alone.Ledger || c.Ledger.Done == 0 || c.Ledger.Missing() != 0 {
		t.Errorf("%+v, want %+v", c.Ledger, alone.Ledger)
	}
	for _, series := range []string{"response", "service", "first", "each", "response-size1", "first-size1", "each-size1", "first-size2", "each-size2"} {
		got, want := c.Series(series), alone.Series(series)
		if got.Count == 0 || got.Histogram != want.Histogram || got.MinNS != want.MinNS || got.MaxNS != want.MaxNS || got.Missing != want.Missing {
			t.Errorf("%s is %+v, want %+v", series, got, want)
		}
	}
	if c.Each.Count != 3*c.First.Count {
		t.Errorf("each has %d values, first %d", c.Each.Count, c.First.Count)
	}
	if len(c.Groups) != 3 {
		t.Fatalf("%d groups", len(c.Groups))
	}
	for i, g := range c.Groups {
		want := alone.Groups[i]
		if g.Ledger != want.Ledger || *g.P50NS != *want.P50NS || *g.P99NS != *want.P99NS || g.MaxNS != want.MaxNS {
			t.Errorf("group %d is %+v, want %+v", i, g, want)
		}
		if len(g.Members) != 4 || sum(g.Members) != g.Ledger.Done || len(g.MembersP99NS) != 4 {
			t.Errorf("group %d: members %v, their p99 %v", i, g.Members, g.MembersP99NS)
		}
		for j, n := range g.Members {
			if part := parts[j%2].Cell.Groups[i]; n != part.Members[j/2] || *g.MembersP99NS[j] != *part.MembersP99NS[j/2] {
				t.Errorf("group %d: member %d has %d messages, and is member %d of agent %d with %d", i, j, n, j/2, j%2+1, part.Members[j/2])
			}
		}
	}
}

func sum(list []int64) (n int64) {
	for _, one := range list {
		n += one
	}
	return n
}

// A delivery that is lost on one agent, duplicates and an agent that is lost: the sum names the group.
func TestMergedGroupsOweWhatAnAgentLost(t *testing.T) {
	cell, good := grouped(), loopback.Config{Delay: ms}
	lossy := loopback.Config{Groups: []loopback.Config{good, {Delay: ms, Drop: 0.001}, {Delay: ms, Duplicate: 0.01}}}
	parts := agentsOf(t, cell, loopback.Config{Groups: []loopback.Config{good, good, good}}, lossy)
	c, _ := sumOf(t, cell, parts)
	missing := parts[1].Cell.Groups[1].Ledger.Lost
	if g := c.Groups[1].Ledger; missing == 0 || g.Lost != missing || g.Check() != nil || c.Each.Missing != missing || c.First.Missing != 0 || c.Ledger.Lost != missing {
		t.Errorf("group 1: %+v, each %d missing, first %d; %d were lost", g, c.Each.Missing, c.First.Missing, missing)
	}
	if c.Groups[2].Duplicate == 0 || c.Groups[2].Duplicate != parts[1].Cell.Groups[2].Duplicate || c.Groups[0].Duplicate != 0 {
		t.Errorf("%d and %d duplicates", c.Groups[2].Duplicate, c.Groups[0].Duplicate)
	}
	if p, _ := c.Problem(results.CodeMissing); !strings.Contains(p.Text, c.Groups[1].Owed()) || strings.Contains(p.Text, "group 0") {
		t.Errorf("%q, want %q", p.Text, c.Groups[1].Owed())
	}

	due := parts[0].Cell.Ledger.Due
	parts[0].Cell, parts[0].Log, parts[0].Lost = nil, nil, "killed"
	c, _ = sumOf(t, cell, parts)
	for i, g := range c.Groups {
		if part := parts[1].Cell.Groups[i].Ledger; g.Ledger.Lost != due+part.Lost || g.Ledger.Done != part.Done || g.Ledger.Check() != nil || g.Members[0]+g.Members[2] != 0 {
			t.Errorf("without agent 1 group %d is %+v", i, g)
		}
	}
	if c.First.Missing != due || c.Each.Missing != 3*due+missing {
		t.Errorf("without agent 1 first lacks %d and each %d, want %d and %d", c.First.Missing, c.Each.Missing, due, 3*due+missing)
	}
}

// Groups that no agent can have measured are refused before they are merged.
func TestGroupsThatCannotBeAreRefused(t *testing.T) {
	cell, good := grouped(), loopback.Config{Delay: ms}
	whole := agentsOf(t, cell, good, good)[1]
	for name, tt := range map[string]struct {
		change func(c *results.Cell)
		want   string
	}{
		"a group too few":       {func(c *results.Cell) { c.Groups = c.Groups[:2] }, "it reports 2 groups of consumers, and has 3"},
		"no first":              {func(c *results.Cell) { c.First = nil }, "it reports 3 groups of consumers"},
		"members of the whole":  {func(c *results.Cell) { c.Groups[1].Members = make([]int64, 4) }, "its group 1 of"},
		"less than nothing":     {func(c *results.Cell) { c.Groups[1].Members = []int64{-1, c.Ledger.Done + 1} }, "its group 1 of"},
		"more due":              {func(c *results.Cell) { c.Groups[0].Ledger.Due++; c.Groups[0].Ledger.Lost++ }, "its group 0 of"},
		"a member of nothing":   {func(c *results.Cell) { c.Groups[0].Members[0]++ }, "the deliveries of group 0 do not add up"},
		"fewer than all groups": {func(c *results.Cell) { c.Groups[2].Ledger.Done--; c.Groups[2].Ledger.Lost++; c.Groups[2].Members[0]-- }, "the deliveries of group 2 do not add up"},
		"a partition of none":   {func(c *results.Cell) { c.Partitions = []results.Partition{{Number: 64}} }, "partition 64"},
	} {
		c := *whole.Cell
		c.Groups = slices.Clone(c.Groups)
		for i := range c.Groups {
			c.Groups[i].Members = slices.Clone(c.Groups[i].Members)
		}
		p := whole
		p.Cell = &c
		tt.change(&c)
		if err := p.Check(cell, 2); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
	for name, change := range map[string]func(string) string{
		"deliveries that nobody counted": func(log string) string { return log + lineOf(t, "group.0.0") },
		"deliveries that are not there":  func(log string) string { return strings.ReplaceAll(log, "Tag=group.0.1,", "Tag=other,") },
		"deliveries to nobody":           func(log string) string { return strings.ReplaceAll(log, "Tag=group.0.1,", "Tag=group.0.-1,") },
		"to a group of nobody": func(log string) string {
			return strings.ReplaceAll(log, "Tag=group.0.1,", "Tag=group.9223372036854775807.9223372036854775807,")
		},
	} {
		p := whole
		p.Log = func() (io.ReadCloser, error) {
			file, err := whole.Log()
			if err != nil {
				return nil, err
			}
			text, err := io.ReadAll(file)
			return io.NopCloser(strings.NewReader(change(string(text)))), err
		}
		if err := p.Check(cell, 2); err == nil || !strings.Contains(err.Error(), "deliveries to group 0, and their results") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// lineOf returns a line of a log with one value.
func lineOf(t *testing.T, tag string) string {
	t.Helper()
	var text bytes.Buffer
	h := histogram.New()
	h.Record(ms)
	if err := histogram.NewLogWriter(&text, time.Unix(1, 0)).Write(tag, time.Second, 2*time.Second, h); err != nil {
		t.Fatal(err)
	}
	_, body, _ := strings.Cut(text.String(), `"Interval_Max","Interval_Compressed_Histogram"`+"\n")
	return body
}

// Each of several sizes has the ledger and the histograms of one machine, also where an agent is lost.
func TestMergedSizesAreThoseOfOneMachine(t *testing.T) {
	cell, system := shared(schedule.Poisson), loopback.Config{Delay: 2 * ms, Drop: 0.002}
	cell.Shape.Size, cell.Shape.Sizes = 0, "64B:90%,4096B:10%"
	alone, parts := alone(t, loopback.Config{Delay: 2 * ms}, cell), agentsOf(t, cell, system, system)
	for i, p := range parts {
		if err := p.Check(cell, 2); err != nil {
			t.Fatalf("part %d: %v", i, err)
		}
	}
	c, _ := sumOf(t, cell, parts)
	lost := int64(0)
	for i, s := range c.Sizes {
		want := alone.Sizes[i]
		if s.Ledger.Due != want.Ledger.Due || s.Ledger.Check() != nil || s.Response.Count != s.Ledger.Done || s.Response.Missing != s.Ledger.Lost || s.Bytes != want.Bytes {
			t.Errorf("%d B: %+v, %d values, want %+v", s.Bytes, s.Ledger, s.Response.Count, want.Ledger)
		}
		if row, _ := s.Response.At(50); *row.ValueNS != int64(2*ms) {
			t.Errorf("%d B: p50 is %d", s.Bytes, *row.ValueNS)
		}
		lost += s.Ledger.Lost
	}
	if len(c.Sizes) != 2 || lost == 0 || lost != c.Ledger.Lost {
		t.Errorf("%d sizes, %d lost of them, %d of all", len(c.Sizes), lost, c.Ledger.Lost)
	}
	gone := parts[1].Cell.Sizes
	parts[1].Cell, parts[1].Log, parts[1].Lost = nil, nil, "killed"
	without, _ := sumOf(t, cell, parts)
	for i, s := range without.Sizes {
		if s.Ledger.Due != c.Sizes[i].Ledger.Due || s.Ledger.Lost != parts[0].Cell.Sizes[i].Ledger.Lost+gone[i].Ledger.Due {
			t.Errorf("without agent 2, %d B: %+v", s.Bytes, s.Ledger)
		}
	}
}

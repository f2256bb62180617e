package judge

import (
	"fmt"
	"testing"

	"github.com/brokerbench/brokerbench/results"
)

// What was not observed is no reason to object, but it is said.
func TestWhatCannotBeJudgedIsSaid(t *testing.T) {
	const unobserved = "this process was not sampled"
	all := []results.NotJudged{
		{Code: results.CodeHiccups, Reason: unobserved},
		{Code: results.CodeProcessCPU, Reason: unobserved},
		{Code: results.CodeMachineCPU, Reason: unobserved},
		{Code: results.CodeSteal, Reason: unobserved},
		{Code: results.CodeThrottled, Reason: unobserved},
	}
	needsLinux := []results.NotJudged{
		{Code: results.CodeHiccups, Reason: "needs Linux"},
		{Code: results.CodeMachineCPU, Reason: "needs Linux"},
		{Code: results.CodeSteal, Reason: "needs Linux"},
		{Code: results.CodeThrottled, Reason: "needs Linux"},
	}
	noStat := "the kernel counts no CPU time in /proc/stat"
	for _, tt := range []struct {
		name, system string
		change       func(*results.Cell)
		want         []results.NotJudged
	}{
		{"all is known", "linux", func(*results.Cell) {}, nil},
		{"nobody looked", "linux", func(c *results.Cell) { c.Floor, c.Tail, c.Usage, c.Hiccup = nil, nil, nil, nil }, all},
		{"macOS", "darwin", func(c *results.Cell) { c.Usage.Machine, c.Tail.WithHiccup = nil, 10 }, needsLinux},
		{"Windows", "windows", func(c *results.Cell) { c.Usage.Machine, c.Tail.WithHiccup = nil, 10 }, needsLinux},
		{"no cgroup", "linux", func(c *results.Cell) { c.Usage.Machine.ThrottledNS = nil }, []results.NotJudged{
			{Code: results.CodeThrottled, Reason: "the cgroup of this process is not visible"},
		}},
		{"an emulated kernel", "linux", func(c *results.Cell) { c.Usage.Machine.BusyCores = 0 }, []results.NotJudged{
			{Code: results.CodeMachineCPU, Reason: noStat}, {Code: results.CodeSteal, Reason: noStat},
		}},
	} {
		c, s := good(), calm
		s.OS = tt.system
		tt.change(c)
		if got := fmt.Sprint(s.notJudged(c)); got != fmt.Sprint(tt.want) {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
		if got := problems(c, s, atEnd); got != nil {
			t.Errorf("%s: %+v", tt.name, got)
		}
	}
}

// The CPU of this process is known everywhere.
func TestProcessCPUIsJudgedEverywhere(t *testing.T) {
	c, s := good(), calm
	c.Usage.Machine, s.OS = nil, "windows"
	c.Usage.Process.CPUCores = 3.5
	if got := problems(c, s, atEnd); len(got) != 1 || got[0].Code != results.CodeProcessCPU {
		t.Errorf("%+v", got)
	}
}

// In a short window the percentiles of hiccups need enough of them.
func TestFewSecondsOfHiccups(t *testing.T) {
	c := good()
	c.Tail.Ordinary = 0
	if got := calm.lacks(results.CodeHiccups, c); got != "" {
		t.Errorf("not judged: %s", got)
	}
	set(c.Hiccup, 99.9, func(p *results.Percentile) { p.SamplesAbove = 9 })
	if got := calm.lacks(results.CodeHiccups, c); got != "needs a window of 10s for p99.9" {
		t.Errorf("got %q", got)
	}
}

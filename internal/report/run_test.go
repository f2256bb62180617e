package report_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/golden"
	"github.com/brokerbench/brokerbench/internal/report"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/results"
)

// distribution returns one whose percentiles are those of a scale times a shape.
func distribution(scale time.Duration, count, missing int64) results.Distribution {
	d := results.Distribution{Count: count, Missing: missing, MaxNS: int64(100 * scale)}
	for i, p := range results.Percentiles() {
		total := count + missing
		above := total - int64(p/100*float64(total))
		row := results.Percentile{Percentile: p, SamplesAbove: above, Trusted: above >= 10 || p == 100}
		if ns := int64(scale) * int64(1+i*i); above >= missing && (missing == 0 || p < 100) {
			row.ValueNS = &ns
		} else {
			row.Trusted = false
		}
		d.Percentiles = append(d.Percentiles, row)
	}
	return d
}

func cell(name string, shape plan.Shape, ledger results.Ledger, scale time.Duration) *results.Cell {
	c := &results.Cell{
		Plan:        plan.Cell{Target: plan.Target{Name: name, URL: name + "://h"}, Shape: shape, Repeat: 1},
		Broker:      results.Broker{Product: strings.ToUpper(name), Version: "1.2.3", Client: "example.org/client v1.0.0"},
		OfferedPerS: float64(shape.Rate), ReachedPerS: float64(shape.Rate), Ledger: ledger,
		Response: distribution(scale, ledger.Done, ledger.Missing()), Service: distribution(scale/2, ledger.Done, ledger.Missing()),
	}
	c.ID = c.Plan.ID()
	for i := range 12 {
		c.Broker.Settings = append(c.Broker.Settings, results.Setting{Name: fmt.Sprintf("a-setting-%d", i), Value: []string{"", "value"}[i%2]})
	}
	return c
}

// sample returns a run with a good cell, a bad one, one without enough messages,
// and two that were not measured.
func sample() (results.Run, []*results.Cell) {
	note := results.Problem{Code: "shared-machine", Severity: results.Valid, Text: "client and broker share this machine: they compete for its cores"}
	good := cell("nats", plan.Shape{Rate: 20_000, Size: 1024, Connections: 25}, results.Ledger{Due: 600_000, Done: 600_000}, 100*time.Microsecond)
	good.Judge([]results.Problem{note})
	inEnvironment(good)
	good.UsableCores, good.SpinNS = 2, 50_000
	good.Measured = []results.Setting{{Name: "batches", Value: "400000"}, {Name: "records/batch", Value: "1.50"}}
	good.NotJudged = []results.NotJudged{{Code: results.CodeMachineCPU, Reason: "needs Linux"}, {Code: results.CodeSteal, Reason: "needs Linux"}, {Code: results.CodeThrottled, Reason: "another reason"}}
	bad := cell("rabbitmq-cluster", plan.Shape{Rate: 3000, Size: 256, Connections: 1, InFlight: 1},
		results.Ledger{Due: 90_000, Done: 88_000, Failed: 500, Lost: 1400, Unsent: 100}, 123*time.Millisecond)
	bad.Judge([]results.Problem{note, {Code: "missing", Severity: results.Invalid, Text: "2000 of 90000 messages are missing (2.2222 %): 500 failed, 1400 lost, 100 unsent; most failed with: connection reset by peer while writing to the broker"}})
	bad.ReachedPerS = 2933.3
	few := cell("kafka", plan.Shape{Rate: 1, Size: 1 << 20, Connections: 10_000}, results.Ledger{Due: 3000, Done: 2999, Lost: 1}, 12*time.Millisecond)
	few.ReachedPerS = 0.99
	few.Judge([]results.Problem{note, {Code: "missing", Severity: results.Suspect, Text: "1 of 3000 messages are missing"}})
	good.SLOs = []results.SLO{
		{Objective: plan.Objective{Series: "response", Percentile: 99, Operator: "<", Limit: 2e6}, Outcome: results.Passed, Text: "1.7ms"},
		{Objective: plan.Objective{Metric: "loss", Operator: "<", Limit: 1e-5}, Outcome: results.Passed, Text: "0 %"},
	}
	bad.SLOs = []results.SLO{{Objective: good.SLOs[0].Objective, Outcome: results.Inconclusive, Text: "unknown: missing messages rank there; the cell is invalid"}}
	few.SLOs = []results.SLO{{Objective: good.SLOs[0].Objective, Outcome: results.Missed, Text: "204ms"}}
	run := results.Run{Name: "sample", Cells: []results.Entry{
		{ID: good.ID, Verdict: good.Verdict},
		{ID: bad.ID, Verdict: bad.Verdict},
		{ID: few.ID, Verdict: few.Verdict},
		{ID: "redis-1", Error: "redis://127.0.0.1:6379: connecting: connection refused (nothing listens there: start the broker, or correct host and port)"},
		{ID: "redis-2", Error: "redis://127.0.0.1:6379: connecting: connection refused (nothing listens there: start the broker, or correct host and port)"},
		{ID: "nats-late"},
	}}
	return run, []*results.Cell{good, bad, few}
}

// inEnvironment adds to a cell the usage of its environment.
func inEnvironment(c *results.Cell) {
	c.Floor = &results.Floor{
		Noop: results.FloorRun{ReachedPerS: c.ReachedPerS, Response: distribution(time.Microsecond, 20_000, 0)},
		Echo: results.FloorRun{ReachedPerS: c.ReachedPerS, Response: distribution(50*time.Microsecond, 20_000, 0)},
	}
	hiccup := distribution(10*time.Microsecond, 30_000, 0)
	c.Hiccup = &hiccup
	c.Tail = &results.Tail{ThresholdNS: int64(time.Millisecond), Intervals: 12, WithHiccup: 3, LargestHiccupNS: hiccup.MaxNS}
	c.Usage = &results.Usage{Process: results.ProcessUsage{CPUCores: 0.41}, Machine: &results.MachineUsage{CPUs: 16, BusyCores: 2.5}}
	for i, row := range c.Response.Percentiles {
		low, high := *row.ValueNS-*row.ValueNS/20, *row.ValueNS+*row.ValueNS/10
		c.Response.Percentiles[i].LowNS = &low
		if row.Percentile < 99.9 {
			c.Response.Percentiles[i].HighNS = &high
		}
	}
}

func TestRun(t *testing.T) {
	run, cells := sample()
	d := report.Run(run, cells, nil, true)
	wantGolden(t, "run", d)
	golden.Check(t, "run.json", written(t, d, document.JSON))
	wantNarrow(t, written(t, d, document.Text))
	var back struct {
		Run   results.Run
		Cells []results.Cell
	}
	if err := json.Unmarshal([]byte(written(t, d, document.JSON)), &back); err != nil || len(back.Cells) != 3 || back.Cells[1].Ledger != cells[1].Ledger {
		t.Errorf("%+v, %v", back, err)
	}
}

// Arrivals have a column where they differ from what is usual.
func TestRunShowsArrivals(t *testing.T) {
	run, cells := sample()
	cells[0].Plan.Shape.Arrivals, cells[1].Plan.Shape.Arrivals = schedule.Poisson, schedule.Burst(10)
	text := written(t, report.Run(run, cells, nil, true), document.Text)
	_, text, _ = strings.Cut(text, "service p99 from the moment it was sent.\n")
	rows := strings.Split(text, "\n")[:4]
	for i, want := range []string{"arrivals", "poisson", "burst:10", "constant"} {
		if !strings.Contains(rows[i], " "+want+" ") || len([]rune(rows[i])) > document.Width {
			t.Errorf("%q does not say %s, or is too wide", rows[i], want)
		}
	}
}

func TestRunAsCSV(t *testing.T) {
	run, cells := sample()
	rows := rows(t, written(t, report.Run(run, cells, nil, true), document.CSV))
	if len(rows) != 4 {
		t.Fatalf("%d rows", len(rows))
	}
	column := make(map[string]string)
	for i, name := range rows[0] {
		column[name] = rows[2][i]
	}
	if !strings.Contains(column["problems"], "missing (invalid): 2000 of 90000 messages are missing") {
		t.Errorf("problems = %q", column["problems"])
	}
	for name, want := range map[string]string{
		"target": "rabbitmq-cluster", "due": "90000", "lost": "1400", "response_p50_ns": "123000000", "response_p99_ns": "",
		"response_p100_above": "0", "verdict": "invalid", "floor_p50_ns": "", "machine_cores": "",
	} {
		if column[name] != want {
			t.Errorf("%s = %q, want %q", name, column[name], want)
		}
	}
}

func ExampleRun() {
	run := results.Run{Cells: []results.Entry{{ID: "a", Error: "no such broker"}}}
	_ = report.Run(run, nil, nil, true).Write(os.Stdout, document.Text)
	// Output: NOT MEASURED a: no such broker
}

// What could not be judged in any cell is said once.
func TestWhatNoCellCouldJudgeIsSaidOnce(t *testing.T) {
	run, cells := sample()
	for _, c := range cells {
		c.NotJudged = []results.NotJudged{{Code: results.CodeSteal, Reason: "needs Linux"}}
	}
	text := written(t, report.Run(run, cells, nil, true), document.Text)
	if n := strings.Count(strings.ToLower(text), "not judged"); n != 1 || !strings.Contains(text, "not judged: steal (needs Linux)\n") {
		t.Errorf("said %d times:\n%s", n, text)
	}
}

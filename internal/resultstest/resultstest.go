// Package resultstest writes result sets for tests.
package resultstest

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/results"
)

// Began returns the beginning of every log.
func Began() time.Time { return time.Date(2026, 11, 21, 6, 0, 0, 0, time.UTC) }

// A Cell describes a cell to write.
type Cell struct {
	Target  string
	Rate    schedule.Rate
	Repeat  int
	Missing int64             // messages that were lost
	Seconds [][]time.Duration // response times of each second; service is half of it
	Hiccup  time.Duration     // in each second; 0: not measured
	Probes  Probes
	Nodes   Nodes // nil: unknown
	Change  func(*results.Cell)
}

// Probes are the probes of a cell besides the response: "lag", "published", "ack" and "complete".
// Each is the response time divided by a number.
type Probes map[string]time.Duration

// of returns the distribution of a probe in a cell, and its file, or "".
func (Probes) of(stored *results.Cell, tag string) (at *results.Distribution, file string) {
	fresh := func(d **results.Distribution) *results.Distribution {
		*d = new(results.Distribution)
		return *d
	}
	switch tag {
	case "published":
		return fresh(&stored.Published), results.PublishedFile
	case "ack":
		return fresh(&stored.Ack), results.AckFile
	case "complete":
		return fresh(&stored.Complete), results.CompleteFile
	}
	return &stored.Lag, ""
}

// Write writes the folder of a run with cells, and returns it.
func Write(t testing.TB, name string, cells ...Cell) string {
	t.Helper()
	store, err := results.Create(t.TempDir(), name, Began())
	if err != nil {
		t.Fatal(err)
	}
	run := results.Run{Name: name}
	for _, c := range cells {
		stored := c.cell()
		folder, err := store.CreateCell(stored.ID)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.write(folder, stored); err != nil {
			t.Fatal(err)
		}
		if target := stored.Plan.Target; !slices.Contains(run.Plan.Targets, target) {
			run.Plan.Targets = append(run.Plan.Targets, target)
		}
		run.Cells = append(run.Cells, results.Entry{ID: stored.ID, Verdict: stored.Verdict})
	}
	if err := store.SaveRun(run); err != nil {
		t.Fatal(err)
	}
	return store.Dir()
}

// Folder returns the folder of the n-th cell of a run.
func Folder(t testing.TB, dir string, n int) string {
	t.Helper()
	store, err := results.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	run, err := store.Run()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, results.CellsFolder, run.Cells[n].ID)
}

func (c Cell) cell() *results.Cell {
	stored := &results.Cell{Plan: plan.Cell{
		Target: plan.Target{Name: c.Target, URL: c.Target + "://h"},
		Shape:  plan.Shape{Rate: c.Rate, Size: 1024, Connections: 1}, Repeat: max(c.Repeat, 1),
	}, Started: Began()}
	stored.ID = stored.Plan.ID()
	response, service := sum(1, c.Seconds...), sum(2, c.Seconds...)
	stored.Response, stored.Service = results.NewDistribution(response, c.Missing), results.NewDistribution(service, c.Missing)
	stored.Ledger = results.Ledger{Due: response.Count() + c.Missing, Done: response.Count(), Lost: c.Missing}
	for tag, by := range c.Probes {
		at, _ := c.Probes.of(stored, tag)
		*at = results.NewDistribution(sum(by, c.Seconds...), c.Missing)
	}
	stored.Verdict = results.Valid
	if c.Change != nil {
		c.Change(stored)
	}
	return stored
}

// sum returns all values, divided.
func sum(divisor time.Duration, seconds ...[]time.Duration) *histogram.Histogram {
	h := histogram.New()
	for _, v := range slices.Concat(seconds...) {
		h.Record(v / divisor)
	}
	return h
}

func (c Cell) write(folder *results.CellFolder, stored *results.Cell) error {
	file, err := folder.CreateIntervals()
	if err != nil {
		return err
	}
	for tag, by := range c.Probes {
		if _, name := c.Probes.of(&results.Cell{}, tag); name != "" {
			err = errors.Join(err, folder.SavePercentiles(name, sum(by, c.Seconds...)))
		}
	}
	return errors.Join(err, c.log(file), file.Close(), c.Nodes.Write(folder, len(c.Seconds)), folder.Save(stored),
		folder.SavePercentiles(results.ResponseFile, sum(1, c.Seconds...)), folder.SavePercentiles(results.ServiceFile, sum(2, c.Seconds...)))
}

func (c Cell) log(w io.Writer) error {
	l := histogram.NewLogWriter(w, Began())
	for i, values := range c.Seconds {
		from := time.Duration(i) * time.Second
		err := errors.Join(write(l, "response", from, sum(1, values)), write(l, "service", from, sum(2, values)))
		for tag, by := range c.Probes {
			err = errors.Join(err, write(l, tag, from, sum(by, values)))
		}
		if c.Hiccup > 0 {
			err = errors.Join(err, write(l, "hiccup", from, sum(1, []time.Duration{c.Hiccup})))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// write writes an interval, unless it is empty, as measure does.
func write(l *histogram.LogWriter, tag string, from time.Duration, h *histogram.Histogram) error {
	if h.Count() == 0 {
		return nil
	}
	return l.Write(tag, from, from+time.Second, h)
}

// Nodes returns the usage of a cell's nodes in a second of its log.
type Nodes func(second int64) []results.NodeUsage

// ThreeNodes returns the usage of nodes 1, 2 and 3. Node n uses n tenths of a core and n × 256 MiB,
// and writes n MiB to files a second. The second node is dead for five seconds, from the fifth
// on. The writes of the third are unknown.
func ThreeNodes() Nodes {
	return func(second int64) (used []results.NodeUsage) {
		for n := int64(1); n <= 3; n++ {
			u := results.NodeUsage{Node: fmt.Sprint(n), CPUNS: new(int64), ResidentBytes: new(int64), ReadBytes: new(int64), WrittenBytes: new(int64)}
			if n != 2 || second < 5 || second >= 10 {
				u.Processes, *u.CPUNS, *u.ResidentBytes, *u.WrittenBytes = 1, n*1e8, n<<28, n<<20
			}
			if n == 3 {
				u.WrittenBytes = nil
			}
			used = append(used, u)
		}
		return used
	}
}

// Write writes nodes.json with so many seconds, which end 20 µs late. It does nothing if n is nil.
func (n Nodes) Write(folder *results.CellFolder, seconds int) error {
	if n == nil {
		return nil
	}
	file, err := folder.CreateNodes()
	if err != nil {
		return err
	}
	const late = int64(20 * time.Microsecond)
	for second := range int64(seconds) {
		for _, u := range n(second) {
			file.Write(results.NodeInterval{FromNS: second*1e9 + late, ToNS: (second+1)*1e9 + late, NodeUsage: u})
		}
	}
	return file.Close()
}

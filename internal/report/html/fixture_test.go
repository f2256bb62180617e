package html_test

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/report/html"
	"github.com/brokerbench/brokerbench/internal/resultstest"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/results"
)

const warmup = 2 * time.Second

// measurement is a cell to be made up.
type measurement struct {
	target  string
	rate    int
	repeat  int
	window  int           // seconds
	typical time.Duration // 0 is 150 µs
	late    time.Duration // of a reply that comes after the last second; 0: there is none
	stall   bool          // the fourth second of the window is a thousand times slower
	lost    int64
	change  func(*results.Cell)
	nodes   resultstest.Nodes // nil: nobody knew them
	grouped bool              // with series of groups of consumers
}

func (m measurement) plan() plan.Cell {
	return plan.Cell{
		Target:   plan.Target{Name: m.target, URL: "nats://127.0.0.1:4222"},
		Shape:    plan.Shape{Rate: schedule.Rate(m.rate), Size: 1024, Connections: 1, Arrivals: "constant"},
		Settings: plan.Settings{Duration: time.Duration(m.window) * time.Second, Warmup: warmup, Timeout: time.Second, Seed: 1, Floor: true},
		Repeat:   max(m.repeat, 1),
	}
}

// newStore makes the folder of a run with these cells, of which all that the
// format knows is in them.
func newStore(t testing.TB, name string, list ...measurement) *results.Store {
	t.Helper()
	began := time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC)
	store, err := results.Create(t.TempDir(), name, began)
	if err != nil {
		t.Fatal(err)
	}
	run := results.Run{
		ID: "20260102t150405-0123abcd", Name: name, Started: began, Finished: began.Add(2 * time.Minute),
		Command: []string{"brokerbench", "run", "-f", "a plan.yaml"},
		Environment: results.Environment{
			Brokerbench: "v1", Go: "go1.26", OS: "linux/amd64", Kernel: "6.1", Host: "host", CPU: "Model", CPUs: 2, GOMAXPROCS: 2,
			MemoryBytes: 8 << 30, ClockSource: "tsc",
		},
	}
	for _, m := range list {
		c := save(t, store, m)
		run.Plan.Targets = append(run.Plan.Targets, c.Plan.Target)
		run.Plan.Settings = c.Plan.Settings
		run.Cells = append(run.Cells, results.Entry{ID: c.ID, Verdict: c.Verdict})
	}
	if err := store.SaveRun(run); err != nil {
		t.Fatal(err)
	}
	return store
}

// save makes up a cell and writes its folder.
func save(t testing.TB, store *results.Store, m measurement) *results.Cell {
	t.Helper()
	c := &results.Cell{
		ID: fmt.Sprintf("cell-%d-r%d-%x", m.rate, m.repeat, rand.Uint64()), Plan: m.plan(),
		Started: time.Date(2026, 1, 2, 15, 4, 7, 0, time.UTC), OfferedPerS: float64(m.rate), ReachedPerS: float64(m.rate),
		Broker: results.Broker{Product: "NATS", Version: "2", Client: "client@v1", Settings: []results.Setting{{Name: "no-delay", Value: "true"}, {Name: "empty"}}},
	}
	folder, err := store.CreateCell(c.ID)
	if err != nil {
		t.Fatal(err)
	}
	file, err := folder.CreateIntervals()
	if err != nil {
		t.Fatal(err)
	}
	totals := writeLog(t, m, histogram.NewLogWriter(file, c.Started))
	describe(c, m, totals)
	if err := errors.Join(folder.SavePercentiles(results.ResponseFile, totals["response"]), folder.SavePercentiles(results.ServiceFile, totals["service"])); err != nil {
		t.Fatal(err)
	}
	if m.change != nil {
		m.change(c)
	}
	resources, err := folder.CreateUsage()
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range usage(m) {
		resources.Write(u)
	}
	if err := errors.Join(file.Close(), resources.Close(), m.nodes.Write(folder, m.window+int(warmup.Seconds())), folder.Save(c)); err != nil {
		t.Fatal(err)
	}
	return c
}

// writeLog draws response times around the typical one, with a long tail, and
// writes them as a run does. It returns the sums by tag.
func writeLog(t testing.TB, m measurement, log *histogram.LogWriter) map[string]*histogram.Histogram {
	t.Helper()
	r := rand.New(rand.NewPCG(1, uint64(len(m.target)+m.rate)))
	totals := make(map[string]*histogram.Histogram)
	draw := func(typical float64) time.Duration {
		return time.Duration(typical * math.Exp(0.35*r.NormFloat64()+max(r.ExpFloat64()-4, 0)))
	}
	for second := range m.window + int(warmup.Seconds()) {
		from := time.Duration(second) * time.Second
		typical := float64(cmp.Or(m.typical, 150*time.Microsecond))
		if m.stall && from == warmup+3*time.Second {
			typical *= 1000
		}
		add := func(tag string, n int, typical float64) {
			h := histogram.New()
			for range n {
				h.Record(draw(typical))
			}
			if totals[tag] == nil {
				totals[tag] = histogram.New()
			}
			if err := errors.Join(log.Write(tag, from, from+time.Second, h), totals[tag].Merge(h)); err != nil {
				t.Fatal(err)
			}
		}
		if from < warmup {
			add("warmup", m.rate, typical*2)
		} else {
			add("response", m.rate, typical)
			add("service", m.rate, typical*0.8)
			add("lag", m.rate, float64(20*time.Microsecond))
			add("held", m.rate, float64(5*time.Microsecond))
			if m.grouped {
				add("first", m.rate, typical*0.9)
				add("each", 2*m.rate, typical*0.95)
			}
		}
		add("hiccup", 1, float64(time.Millisecond))
	}
	if m.late > 0 {
		from, h := warmup+time.Duration(m.window)*time.Second, histogram.New()
		h.Record(m.late)
		if err := errors.Join(log.Write("response", from, from+50*time.Millisecond, h), totals["response"].Merge(h)); err != nil {
			t.Fatal(err)
		}
	}
	return totals
}

// describe fills in what cell.json says.
func describe(c *results.Cell, m measurement, totals map[string]*histogram.Histogram) {
	due := int64(m.window*m.rate) + m.lost
	c.Ledger = results.Ledger{Due: due, Done: due - m.lost, Lost: m.lost}
	c.Response = confident(results.NewDistribution(totals["response"], m.lost))
	c.Service = confident(results.NewDistribution(totals["service"], m.lost))
	c.Lag, c.Held = results.NewDistribution(totals["lag"], 0), results.NewDistribution(totals["held"], 0)
	hiccup := results.NewDistribution(totals["hiccup"], 0)
	c.Hiccup = &hiccup
	floor := histogram.New()
	for i := range 3000 {
		floor.Record(40*time.Microsecond + time.Duration(i*i/100))
	}
	run := results.FloorRun{ReachedPerS: 3000, Response: results.NewDistribution(floor, 0)}
	c.Floor = &results.Floor{Noop: run, Echo: run}
	u := results.TotalUsage(usage(m))
	c.Usage = &u
	problems := []results.Problem{{Code: "shared-machine", Severity: results.Valid, Text: "client and broker share this machine"}}
	if m.stall {
		c.Events = []results.Event{{AtNS: int64(5100 * time.Millisecond), Text: "disconnected"}, {AtNS: int64(5900 * time.Millisecond), Text: "connected"}}
		problems = append(problems, results.Problem{Code: "hiccups", Severity: results.Suspect, Text: "the tail is this machine's"})
	}
	if m.lost > 0 {
		problems = append(problems, results.Problem{Code: "lost", Severity: results.Invalid, Text: fmt.Sprintf("%d messages were lost", m.lost)})
	}
	c.Judge(problems)
}

// confident gives the percentiles bounds, the last without an upper one.
func confident(d results.Distribution) results.Distribution {
	for i := range d.Percentiles {
		p := &d.Percentiles[i]
		if p.ValueNS == nil || p.Percentile == 100 {
			continue
		}
		p.LowNS = new(*p.ValueNS * 9 / 10)
		if p.Trusted {
			p.HighNS = new(*p.ValueNS * 12 / 10)
		}
	}
	return d
}

func usage(m measurement) (list []results.Usage) {
	for i := range int64(m.window) + int64(warmup/time.Second) {
		list = append(list, results.Usage{
			FromNS: i * 1e9, ToNS: (i + 1) * 1e9, HiccupMaxNS: 1e6,
			Process: results.ProcessUsage{CPUCores: 0.4 + float64(i%3)/10, VoluntarySwitches: new(9000 + 100*i), InvoluntarySwitches: new(80 * i)},
			Go:      results.GoUsage{GCPauseMaxNS: i % 4 * 50_000},
			Machine: &results.MachineUsage{
				CPUs: 2, BusyCores: 1.2, StealCores: float64(i%5) / 20, ContextSwitches: 30_000 + 500*i,
				NetworkReceivedBytes: new(3_000_000 + 10_000*i), NetworkSentBytes: new(int64(2_900_000)),
			},
		})
	}
	return list
}

// four cells: plain, with a stall, with messages lost, at another rate.
func four() []measurement {
	return []measurement{
		{target: "calm", rate: 2000, window: 8, typical: 120 * time.Microsecond},
		{target: "stalled", rate: 2000, window: 8, typical: 90 * time.Microsecond, stall: true},
		{target: "lossy", rate: 2000, window: 8, typical: 200 * time.Microsecond, lost: 40},
		{target: "calm", rate: 4000, window: 8, typical: 160 * time.Microsecond},
	}
}

// folders returns those of a run's cells.
func folders(t testing.TB, store *results.Store) (list []*results.CellFolder) {
	t.Helper()
	editRun(t, store, func(run *results.Run) {
		for _, entry := range run.Cells {
			list = append(list, store.Cell(entry.ID))
		}
	})
	return list
}

// write writes a report and returns its file and its text.
func write(t testing.TB, stores ...*results.Store) (path, text string) {
	t.Helper()
	var page bytes.Buffer
	if err := html.Write(&page, stores...); err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(path, page.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path, page.String()
}

// editRun changes run.json.
func editRun(t testing.TB, store *results.Store, change func(*results.Run)) {
	t.Helper()
	run, err := store.Run()
	if err != nil {
		t.Fatal(err)
	}
	change(&run)
	if err := store.SaveRun(run); err != nil {
		t.Fatal(err)
	}
}

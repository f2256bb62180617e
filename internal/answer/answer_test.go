package answer_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/answer"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/results"
)

// cell returns a repeat of a target whose percentiles are scale·(1 + p/100) ms, all of
// whose messages are done.
func cell(target string, repeat int, scale float64, change ...func(*results.Cell)) *results.Cell {
	c := &results.Cell{
		Plan: plan.Cell{
			Target: plan.Target{Name: target}, Shape: plan.Shape{Rate: 1000, Size: 1024, Connections: 1}, Repeat: repeat,
			Settings: plan.Settings{Percentiles: []float64{50, 99}},
		},
		Verdict: results.Valid, ReachedPerS: 1000, Ledger: results.Ledger{Due: 12_000, Done: 12_000},
	}
	c.Response = distribution(scale)
	c.Service = distribution(scale / 2)
	for _, f := range change {
		f(c)
	}
	c.ID = c.Plan.ID()
	return c
}

func distribution(scale float64) results.Distribution {
	d := results.Distribution{Count: 12_000, MinNS: int64(scale * 1e6)}
	for _, p := range results.Percentiles() {
		ns := int64(scale * (1 + p/100) * 1e6)
		low, high := ns*9/10, ns*11/10
		d.Percentiles = append(d.Percentiles, results.Percentile{Percentile: p, ValueNS: &ns, LowNS: &low, HighNS: &high, Trusted: true, SamplesAbove: int64(math.Round(12_000 * (1 - p/100)))})
		d.MaxNS = ns
	}
	return d
}

// repeats returns repeats of a target: each takes scale times what the repeat takes, and
// varies by a little of its own.
func repeats(target string, scale float64, own ...float64) (cells []*results.Cell) {
	for i, v := range own {
		cells = append(cells, cell(target, i+1, scale*math.Exp(0.001*math.Sin(float64(i)))*(1+v/10)))
	}
	return cells
}

func of(cells ...[]*results.Cell) *answer.Answer {
	var all []*results.Cell
	for _, list := range cells {
		all = append(all, list...)
	}
	return answer.Of(run(all), all)
}

// run returns the run of cells, whose targets are in the order of the plan.
func run(cells []*results.Cell) results.Run {
	r := results.Run{Name: "x", Command: []string{"brokerbench", "run", "-d", "12s"}, Plan: plan.Plan{Repeat: 1, Settings: cells[0].Plan.Settings}}
	for _, c := range cells {
		if !slices.Contains(r.Plan.Targets, c.Plan.Target) {
			r.Plan.Targets = append(r.Plan.Targets, c.Plan.Target)
		}
	}
	return r
}

func names(s answer.Shape) string {
	var list []string
	for _, t := range s.Targets {
		list = append(list, t.Name)
	}
	return strings.Join(list, " ")
}

func TestTargetsKeepTheOrderOfThePlan(t *testing.T) {
	slow := repeats("kafka", 4, 0, 0.01, -0.01, 0.02, 0)
	fast := repeats("nats", 1, 0.01, 0, 0.01, -0.01, 0)
	near := repeats("redis", 1.001, 0, 0.01, -0.01, 0.015, 0.005)
	a := of(slow, near, fast)
	if len(a.Shapes) != 1 {
		t.Fatalf("%d shapes", len(a.Shapes))
	}
	s := a.Shapes[0]
	if s.Title != "1 KiB at 1,000/s, 1 connection" || s.Repeats != 5 || s.By != 99 || names(s) != "kafka redis nats" {
		t.Errorf("%+v", s)
	}
	text := strings.Join(s.Sentences, "\n")
	if !strings.HasPrefix(text, "p50 and p99: ") || !strings.Contains(text, " ≈ ") || !strings.Contains(text, " < kafka") || strings.Contains(text, "fastest") {
		t.Errorf("sentences %q", text)
	}
}

func TestAWinnerIsNamed(t *testing.T) {
	s := of(repeats("kafka", 4, 0, 0.01, -0.01, 0.02, 0), repeats("nats", 1, 0.01, 0, 0.01, -0.01, 0)).Shapes[0]
	if got, want := s.Sentences, "p50 and p99: nats is the fastest"; len(got) != 1 || got[0] != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Of one repeat nothing is said about the targets, only about this run.
func TestOneRepeatDecidesNothing(t *testing.T) {
	a := of(repeats("kafka", 4, 0), repeats("nats", 1, 0))
	if got, want := a.Shapes[0].Sentences, []string{"p50 and p99: nats ≤ kafka in this run → --repeat 5"}; !slices.Equal(got, want) {
		t.Errorf("sentences %q", got)
	}
}

// A row that no flag decides says why.
func TestAnUndecidedRowNamesWhatDecidesIt(t *testing.T) {
	vary := func(scale float64, own ...float64) (cells []*results.Cell) {
		for i, v := range own {
			cells = append(cells, cell("kafka", i+1, scale*(1+v)), cell("nats", i+1, 1-v))
		}
		return cells
	}
	for scale, want := range map[float64]string{
		1:    "p50: undecided, nats ≈ kafka (repeats to decide: not known, as differences change between repeats)",
		1.05: "p50 and p99: undecided, nats ≈ kafka (repeats to decide: about 1,068)",
		1.5:  "p50 and p99: undecided, nats ≈ kafka → --repeat 21",
	} {
		if got := of(vary(scale, 0.3, -0.3, 0.2, -0.2, 0.01)).Shapes[0].Sentences; got[0] != want {
			t.Errorf("%v: %q, want %q", scale, got, want)
		}
	}
}

// A winner whose durability is not verified may do less than the others.
func TestAWinnerThatIsNotVerified(t *testing.T) {
	level := func(list []*results.Cell, unknown ...string) []*results.Cell {
		for _, c := range list {
			c.Broker.Durability = &requester.Backing{Level: requester.Process, Asked: requester.Process, NotVerified: unknown}
		}
		return list
	}
	kafka, nats := repeats("kafka", 4, 0, 0.01, -0.01, 0.02, 0), repeats("nats", 1, 0.01, 0, 0.01, -0.01, 0)
	a := of(level(kafka), level(nats, "x is not known"))
	if got, want := a.Shapes[0].Sentences[0], "p50 and p99: nats is the fastest (its durability is not verified)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := a.Winners()[0], "p50: nats is the fastest in 1 of 1 shape (its durability is not verified)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := of(level(kafka, "x is not known"), level(nats)).Shapes[0].Sentences[0]; got != "p50 and p99: nats is the fastest" {
		t.Errorf("a loser: %q", got)
	}
}

// Without intervals nothing is said to be alike, either.
func TestShortWindowsTellNothingApart(t *testing.T) {
	short := func(c *results.Cell) {
		for i := range c.Response.Percentiles {
			c.Response.Percentiles[i].LowNS, c.Response.Percentiles[i].HighNS = nil, nil
		}
	}
	s := of([]*results.Cell{cell("t1", 1, 1, short), cell("t2", 1, 30, short)}).Shapes[0]
	if text := strings.Join(s.Sentences, "\n"); strings.Contains(text, "≈") || !strings.Contains(text, "too short for intervals") {
		t.Errorf("sentences %q", text)
	}
}

// A run with a fault begins with what it did.
func TestAFaultOpensWithItsCost(t *testing.T) {
	kill := plan.Fault{Do: plan.Kill, Node: plan.Leader}
	broken := func(f results.Fault) func(*results.Cell) {
		return func(c *results.Cell) { c.Faults = []results.Fault{f} }
	}
	impact := &results.Impact{
		Acks: &results.Outage{Shown: true, ForNS: 4_100_000_000, FirstNS: new(int64(5e9))}, Deliveries: &results.Outage{ForNS: 12e6},
		Due: 4000, Done: 3990, Failed: 8, Lost: 2, Acked: 4000, AckedLost: new(int64),
	}
	made := results.Fault{Plan: kill, Nodes: []string{"n2"}, BeganNS: 1, BrokenNS: 2, Impact: impact}
	late := plan.Fault{Do: plan.Kill, Node: "g0", At: 3 * time.Second}
	for want, f := range map[string]results.Fault{
		"kafka, kill g0 at 3s: began 3s late, 1 of 9 messages due from then on are missing.":                                                                                                                   {Plan: late, BeganNS: 6e9, BrokenNS: 7e9, Impact: &results.Impact{Due: 9, Done: 8}},
		"kafka, kill g0 at 3s: its effect cannot be told: it overlaps the next fault, or no message was due after it.":                                                                                         {Plan: late, BeganNS: 3.09e9, BrokenNS: 7e9},
		"kafka, kill leader (n2) at 0s: no acknowledgements for 4.1s, no outage of deliveries above 12ms, 10 of 4,000 messages due from then on are missing (8 failed, 2 lost), 0 acknowledged messages lost.": made,
		"kafka, kill leader at 0s: not made.": {Plan: kill, Error: "no leader"},
	} {
		sentences := of([]*results.Cell{cell("kafka", 1, 1, broken(f))}).Shapes[0].Faults
		if len(sentences) != 1 || sentences[0] != want {
			t.Errorf("got %q, want %q", sentences, want)
		}
	}
	prompt, tardy := results.Fault{Plan: late, BeganNS: 3e9, BrokenNS: 7e9}, results.Fault{Plan: late, BeganNS: 5e9, BrokenNS: 7e9}
	several := of([]*results.Cell{cell("kafka", 1, 1, broken(tardy)), cell("kafka", 2, 1, broken(prompt))}).Shapes[0].Faults
	if len(several) != 1 || !strings.HasPrefix(several[0], "kafka, kill g0 at 3s: began up to 2s late, ") {
		t.Errorf("of repeats %q", several)
	}
}

func TestOneTargetHasNoSentence(t *testing.T) {
	a := of(repeats("nats", 1, 0, 0.1))
	if s := a.Shapes[0]; len(s.Sentences) != 0 || len(a.Winners()) != 0 {
		t.Errorf("sentences %q, %q", s.Sentences, a.Winners())
	}
}

// Repeats are taken together: percentiles of all their messages with an interval of how they
// differ, the longest of all, the worst verdict, the least rate and all messages.
func TestRepeatsAreOneTarget(t *testing.T) {
	slow := func(c *results.Cell) {
		c.Verdict, c.ReachedPerS, c.Ledger = results.Suspect, 900, results.Ledger{Due: 12_000, Done: 11_999, Lost: 1}
	}
	target := of([]*results.Cell{cell("nats", 1, 1), cell("nats", 2, 4, slow)}).Shapes[0].Targets[0]
	if target.Verdict != results.Suspect || target.Reached != 900 || target.Ledger.Due != 24_000 || target.Ledger.Lost != 1 || len(target.Cells) != 2 {
		t.Errorf("%+v", target)
	}
	p50, _ := target.At(50)
	// All messages of the first take 2 ms at most.
	if *p50.NS < 1_990_000 || *p50.NS > 2_010_000 {
		t.Errorf("p50 is %d ns", *p50.NS)
	}
	if longest, _ := target.At(100); *longest.NS != 8_000_000 || longest.AtLeast || longest.LowNS != nil {
		t.Errorf("maximum %+v", longest)
	}
	if len(target.Service) != 0 {
		t.Errorf("service %+v of several repeats", target.Service)
	}
}

// A percentile that is unknown in one repeat is unknown of all, and its target is not ranked.
func TestWhatIsMissingIsNotRanked(t *testing.T) {
	missing := func(c *results.Cell) {
		c.Ledger, c.Response.Missing = results.Ledger{Due: 12_000, Done: 11_000, Lost: 1000}, 1000
		for i := range c.Response.Percentiles {
			if row := &c.Response.Percentiles[i]; row.Percentile > 90 {
				row.ValueNS, row.LowNS, row.HighNS, row.Trusted = nil, nil, nil, false
			}
		}
	}
	s := of([]*results.Cell{cell("nats", 1, 0.1), cell("nats", 2, 0.1, missing)}, []*results.Cell{cell("redis", 1, 9), cell("redis", 2, 9)}).Shapes[0]
	p99, _ := s.Targets[0].At(99)
	longest, _ := s.Targets[0].At(100)
	if p99.NS != nil || p99.Usable || longest.NS == nil || !longest.AtLeast {
		t.Errorf("p99 %+v, maximum %+v", p99, longest)
	}
	if text := strings.Join(s.Sentences, "\n"); !strings.Contains(text, "nats is not ranked") || strings.Contains(text, "redis is the fastest") {
		t.Errorf("sentences %q", text)
	}
}

// A number is limited by what limits it in repeats with half of the messages that it is made of.
func TestLimitsStay(t *testing.T) {
	limited := func(c *results.Cell) {
		c.Judge([]results.Problem{{Code: results.CodeSteal, Severity: results.Valid, Text: "steal", Limits: []results.Limit{{Series: "response", Percentiles: []float64{99}}}}})
	}
	target := of([]*results.Cell{cell("nats", 1, 1), cell("nats", 2, 1, limited)}).Shapes[0].Targets[0]
	if n, _ := target.At(99); n.Usable || n.Limit != "this machine" {
		t.Errorf("p99 %+v", n)
	}
	if n, _ := target.At(50); !n.Usable || n.Limit != "" {
		t.Errorf("p50 %+v", n)
	}
	target = of([]*results.Cell{cell("nats", 1, 1), cell("nats", 2, 1, limited), cell("nats", 3, 1)}).Shapes[0].Targets[0]
	if n, _ := target.At(99); !n.Usable {
		t.Errorf("one doubtful repeat of three limits p99: %+v", n)
	}
}

// A repeat that was interrupted is in no number, unless it is all there is.
func TestAnInterruptedRepeatIsLeftOut(t *testing.T) {
	part := func(c *results.Cell) { c.Interrupted, c.Verdict = true, results.Invalid }
	s := of([]*results.Cell{cell("nats", 1, 1), cell("nats", 2, 100, part)}, []*results.Cell{cell("redis", 1, 2), cell("redis", 2, 2)}).Shapes[0]
	nats := s.Targets[0]
	if p50, _ := nats.At(50); nats.Name != "nats" || *p50.NS != 1_500_000 || nats.Verdict != results.Valid || len(nats.Cells) != 1 || len(nats.LeftOut) != 1 {
		t.Errorf("%+v", nats)
	}
	if text := strings.Join(s.Sentences, " "); !strings.Contains(text, "nats ≤ redis") {
		t.Errorf("sentences %q", text)
	}
	alone := of([]*results.Cell{cell("nats", 1, 1, part)}, []*results.Cell{cell("redis", 1, 2)}).Shapes[0]
	if text := strings.Join(alone.Sentences, " "); len(alone.Targets[1].LeftOut) != 0 || !strings.Contains(text, "nats is not ranked (repeat 1 was interrupted)") {
		t.Errorf("%+v", alone)
	}
}

func TestManyTargetsAreCounted(t *testing.T) {
	var alike, apart, few [][]*results.Cell
	for i := range 30 {
		name, off := fmt.Sprintf("t%d", i), 0.1*math.Sin(float64(i))
		alike = append(alike, repeats(name, 1, off, -off, 2*off, -2*off, 0))
		apart = append(apart, repeats(name, 1+float64(i)/1000, 0.01, 0, 0.02, -0.01, 0, 0.01, -0.01, 0.02))
		few = append(few, repeats(name, 1+float64(i), 0.01, 0))
	}
	if text := strings.Join(of(alike...).Shapes[0].Sentences, " "); !strings.Contains(text, "none of the 30 targets") || len(text) > 200 {
		t.Errorf("sentences %q", text)
	}
	if text := strings.Join(of(apart...).Shapes[0].Sentences, " "); !strings.Contains(text, "pairs relate in another way") {
		t.Errorf("sentences %q", text)
	}
	if text := strings.Join(of(few...).Shapes[0].Sentences, " "); !strings.Contains(text, "none of the 30 targets") || !strings.Contains(text, "--repeat 8") {
		t.Errorf("sentences %q", text)
	}
}

// A repeat that was interrupted before anything was due takes nothing from the others.
func TestARepeatOfNothingLimitsNothing(t *testing.T) {
	nothing := func(c *results.Cell) {
		c.Ledger, c.ReachedPerS, c.Response = results.Ledger{}, 0, results.NewDistribution(histogram.New(), 0)
	}
	cells := []*results.Cell{cell("nats", 1, 1), cell("nats", 2, 4), cell("nats", 3, 1, nothing)}
	target := of(cells).Shapes[0].Targets[0]
	if target.Reached != 1000 {
		t.Errorf("reached %v", target.Reached)
	}
	d, _ := answer.Merged(cells[:2], "response")
	for _, n := range target.Response {
		if two := answer.NumberOf(d, n.Percentile); *n.NS != *two.NS {
			t.Errorf("%+v, want %+v", n, two)
		}
	}
}

func TestShapesStayInTheirOrder(t *testing.T) {
	fast := func(c *results.Cell) {
		c.Plan.Shape = plan.Shape{Rate: 7.0 / 60, Size: 256, Connections: 25, InFlight: 1, Arrivals: schedule.Poisson}
		c.Plan.Settings.Percentiles = []float64{50, 99.9}
	}
	a := of([]*results.Cell{cell("nats", 1, 1), cell("nats", 1, 1, fast), cell("redis", 1, 1)})
	if len(a.Shapes) != 2 || names(a.Shapes[0]) != "nats redis" || names(a.Shapes[1]) != "nats" || a.Shapes[1].By != 99.9 {
		t.Fatalf("%+v", a.Shapes)
	}
	if got, want := a.Shapes[1].Title, "256 B at 7/m, 25 connections, 1 in flight, arrivals poisson"; got != want {
		t.Errorf("title %q, want %q", got, want)
	}
}

func TestFloorsAreTakenTogether(t *testing.T) {
	floor := func(scale float64) func(*results.Cell) {
		return func(c *results.Cell) { c.Floor = &results.Floor{Echo: results.FloorRun{Response: distribution(scale)}} }
	}
	s := of([]*results.Cell{cell("nats", 1, 1, floor(0.1)), cell("nats", 2, 1, floor(0.4)), cell("nats", 3, 1)}, []*results.Cell{cell("redis", 1, 9, floor(0.3))}).Shapes[0]
	if nats := s.Targets[0].Floor; len(nats) != 3 || *nats[1].NS < 780_000 || *nats[1].NS > 800_000 { // of both
		t.Errorf("floor %+v", nats)
	}
	if slowest, _, below := s.Floor(); !below || slowest[1].NS != s.Targets[0].Floor[1].NS {
		t.Errorf("the slowest %+v", slowest)
	}
}

func TestNothingMeasuredHasNoShapes(t *testing.T) {
	if a := answer.Of(results.Run{}, nil); a.Shapes == nil || len(a.Shapes) != 0 {
		t.Errorf("%+v", a)
	}
}

func ExampleOf() {
	a := of(repeats("kafka", 4, 0, 0.01, -0.01, 0.02, 0), repeats("nats", 1, 0.01, 0, 0.01, -0.01, 0))
	for _, s := range a.Shapes {
		fmt.Println(s.Title)
		fmt.Println(s.Sentences[0])
	}
	// Output:
	// 1 KiB at 1,000/s, 1 connection
	// p50 and p99: nats is the fastest
}

// One cell has less time than all repeats together, so that its percentiles may have the mark
// alone.
func TestUnseenPausesOfACell(t *testing.T) {
	c := cell("nats", 1, 1)
	c.Plan.Settings.Duration = 30 * time.Second
	short := answer.Unseen(c)
	c.Plan.Settings.Duration = time.Hour
	if long := answer.Unseen(c); len(short) == 0 || slices.Contains(short, 50) || slices.Contains(short, 100) || len(long) >= len(short) {
		t.Errorf("of 30 s %v, of an hour %v", short, long)
	}
}

// Each shape of several is named by what distinguishes it, also one without a limit in flight.
func TestTitlesNameEveryShape(t *testing.T) {
	shape := plan.Shape{Rate: 1000, Size: 1024, Connections: 1}
	limited := shape
	limited.InFlight = 1
	common, own := answer.Titles([]plan.Shape{shape, limited})
	if want := []string{"open", "f1"}; common != "1 KiB at 1,000/s, 1 connection" || !slices.Equal(own, want) {
		t.Errorf("%q, %q, want %q", common, own, want)
	}
}

package answer_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/answer"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/results"
)

// limiting returns a change that limits percentiles of the response by a problem.
func limiting(code results.Code, percentiles ...float64) func(*results.Cell) {
	return func(c *results.Cell) {
		c.Judge([]results.Problem{{Code: code, Text: "some text; more", Severity: results.Valid, Limits: []results.Limit{{Series: "response", Percentiles: percentiles}}}})
	}
}

// rare returns a change that leaves so many events above p99, in a window of 12 s.
func rare(events float64) func(*results.Cell) {
	return func(c *results.Cell) {
		c.Plan.Settings.Duration = 12e9
		for i := range c.Response.Percentiles {
			if row := &c.Response.Percentiles[i]; row.Percentile == 99 {
				row.Trusted, row.Events = false, events
			}
		}
	}
}

func TestEachNumberIsUsableOrLimited(t *testing.T) {
	b := of([]*results.Cell{cell("nats", 1, 1, limiting(results.CodeSteal, 99, 100))}, []*results.Cell{cell("redis", 1, 1)}).Belief
	if b.Usable != 4 || b.Of != 6 || len(b.Causes) != 1 {
		t.Fatalf("%+v", b)
	}
	if c := b.Causes[0]; c.Name != "machine" || c.Cells != 1 || c.Of != 2 || c.Text != "limited by this machine from p99 up" || c.Remedy != "brokerbench doctor" {
		t.Errorf("%+v", c)
	}
}

// An invalid cell has no usable number, whatever its percentiles say, and its cause is the first.
func TestAnInvalidCellHasNoUsableNumber(t *testing.T) {
	spoilt := func(c *results.Cell) {
		c.Judge([]results.Problem{{Code: results.CodeRate, Severity: results.Invalid, Text: "900/s of 1000/s were done; more"}})
		c.ReachedPerS = 900
	}
	b := of([]*results.Cell{cell("kafka", 1, 1, spoilt)}, []*results.Cell{cell("nats", 1, 1, limiting(results.CodeSteal, 99))},
		[]*results.Cell{cell("redis", 1, 1, limiting(results.CodeSteal, 99))}).Belief
	if b.Usable != 4 || b.Of != 9 || len(b.Causes) != 2 || b.Causes[0].Text != "900/s of 1000/s were done" || b.Causes[0].Remedy != "-r 720" {
		t.Errorf("%+v", b)
	}
}

// A remedy for this tool rests on what the run shows; if it shows none, doctor examines the machine.
func TestTheRemedyForThisToolRestsOnTheRun(t *testing.T) {
	at := func(rate schedule.Rate) func(*results.Cell) {
		return func(c *results.Cell) { c.Plan.Shape.Rate, c.ReachedPerS = rate, float64(rate) }
	}
	slow := func(c *results.Cell) { c.ReachedPerS, c.Ledger.Unsent = 600, 4000 }
	shared := func(senders, connections int, cores float64) func(*results.Cell) {
		return func(c *results.Cell) {
			c.Plan.Settings.Senders, c.Plan.Shape.Connections, c.UsableCores = senders, connections, cores
		}
	}
	lag, held := limiting(results.CodeLag, 99), limiting(results.CodeHeld, 99)
	for name, tt := range map[string]struct {
		cells []*results.Cell
		want  string
	}{
		"the rate was carried":                     {[]*results.Cell{cell("nats", 1, 1, lag)}, "brokerbench doctor"},
		"every core was used":                      {[]*results.Cell{cell("nats", 1, 1, limiting(results.CodeProcessCPU, 50, 99, 100))}, "brokerbench doctor"},
		"the rate was not carried":                 {[]*results.Cell{cell("nats", 1, 1, lag, slow)}, "-r 480"},
		"a lower rate of the run is free of it":    {[]*results.Cell{cell("nats", 1, 1, at(100)), cell("nats", 1, 1, at(300)), cell("nats", 1, 1, lag)}, "-r 300"},
		"one target is limited at the lower rate":  {[]*results.Cell{cell("nats", 1, 1, at(300)), cell("redis", 1, 1, at(300), lag), cell("nats", 1, 1, lag)}, "brokerbench doctor"},
		"only a higher rate of the run is free":    {[]*results.Cell{cell("nats", 1, 1, at(3000)), cell("nats", 1, 1, lag)}, "brokerbench doctor"},
		"connections waited for each other":        {[]*results.Cell{cell("nats", 1, 1, held, shared(1, 3, 4))}, "--senders 3"},
		"connections waited, and cores are few":    {[]*results.Cell{cell("nats", 1, 1, held, shared(1, 8, 4))}, "brokerbench doctor"},
		"each connection has a sender":             {[]*results.Cell{cell("nats", 1, 1, held, shared(3, 3, 4))}, "brokerbench doctor"},
		"the generator was late, with connections": {[]*results.Cell{cell("nats", 1, 1, lag, shared(1, 3, 4))}, "brokerbench doctor"},
	} {
		b := of(tt.cells).Belief
		if len(b.Causes) != 1 || b.Causes[0].Name != "tool" || b.Causes[0].Remedy != tt.want {
			t.Errorf("%s: %+v, want %s", name, b.Causes, tt.want)
		}
	}
}

// Messages that went missing in a fault are due to the fault, not to the rate, which the target carried before
// it. One that it did not carry before is too high all the same.
func TestAFaultExplainsMissingMessages(t *testing.T) {
	killed := func(impact results.Impact, problems ...results.Problem) func(*results.Cell) {
		return func(c *results.Cell) {
			c.ReachedPerS, c.Ledger = 850, results.Ledger{Due: 12_000, Done: 10_200, Failed: 1797, Lost: 3}
			c.Response.Missing = 1800
			for i := range c.Response.Percentiles {
				if row := &c.Response.Percentiles[i]; row.Percentile > 85 {
					row.ValueNS, row.LowNS, row.HighNS, row.Trusted = nil, nil, nil, false
				}
			}
			c.Faults = []results.Fault{{Plan: plan.Fault{Do: plan.Kill, Node: plan.Leader}, BeganNS: 1, BrokenNS: 2, Impact: &impact}}
			c.Judge(problems)
		}
	}
	excused := results.Problem{Code: results.CodeMissing, Severity: results.Valid, Text: "1800 of 12000 messages are missing"}
	grave := results.Problem{Code: results.CodeRate, Severity: results.Invalid, Text: "850/s of 1000/s were done; more"}
	late := results.Problem{Code: results.CodeLag, Text: "late", Limits: []results.Limit{{Series: "response", Percentiles: []float64{50}}}}
	late.Severity = results.Valid
	missing := results.Impact{Due: 8000, Done: 6200, Failed: 1797, Lost: 3, BaseDue: 4000, BaseDone: 4000}
	before := missing
	before.BaseDone = 3000
	none := results.Impact{Due: 8000, Done: 8000, BaseDue: 4000, BaseDone: 4000}
	for name, tt := range map[string]struct {
		change            func(*results.Cell)
		cause, text, want string
	}{
		"in a fault":                      {killed(missing, excused), "faults", "limited by the faults from p99 up", ""},
		"the generator was late in it":    {killed(missing, late), "tool", "limited by this tool at p50", "brokerbench doctor"},
		"the rate fell with the fault":    {killed(missing, grave), "rate", "850/s of 1000/s were done", ""},
		"the rate was too high before it": {killed(before, grave), "rate", "850/s of 1000/s were done", "-r 680"},
		"in no fault":                     {killed(none), "missing", "missing messages rank above p99", ""},
	} {
		b := of([]*results.Cell{cell("nats", 1, 1, tt.change)}).Belief
		i := slices.IndexFunc(b.Causes, func(c answer.Cause) bool { return c.Name == tt.cause })
		if i < 0 || b.Causes[i].Text != tt.text || b.Causes[i].Remedy != tt.want {
			t.Errorf("%s: %+v", name, b.Causes)
		}
	}
}

// An adapter that fails messages is to be tested: it would do so at a lower rate, too.
func TestTheRemedyForAnAdapterIsItsTest(t *testing.T) {
	const test = "brokerbench adapter test ./mine --flag"
	for _, tt := range []struct {
		url    string
		ledger results.Ledger
		want   string
	}{
		{"exec:./mine --flag", results.Ledger{Due: 12_000, Done: 6000, Failed: 6000}, test},
		{"exec:./mine --flag ?durability=process", results.Ledger{Due: 12_000, Done: 6000, Failed: 4000, Lost: 2000}, test},
		{"exec:./mine '--flag'", results.Ledger{Due: 12_000, Done: 6000, Failed: 6000}, "-r 400"},
		{"exec:./mine --flag", results.Ledger{Due: 12_000, Done: 6000, Lost: 6000}, "-r 400"},
		{"exec:./mine --flag", results.Ledger{Due: 12_000, Done: 6000, Unsent: 6000}, "-r 400"},
		{"nats://h", results.Ledger{Due: 12_000, Done: 6000, Failed: 6000}, "-r 400"},
	} {
		b := of([]*results.Cell{cell("mine", 1, 1, func(c *results.Cell) {
			c.Plan.Target.URL, c.Ledger, c.ReachedPerS = tt.url, tt.ledger, 500
			c.Judge([]results.Problem{{Code: results.CodeRate, Severity: results.Invalid, Text: "500/s of 1000/s were done"}})
		})}).Belief
		if b.Causes[0].Remedy != tt.want {
			t.Errorf("%s, %+v: got %+v, want %q", tt.url, tt.ledger, b.Causes[0], tt.want)
		}
	}
}

// An adapter that answers messages twice is to be tested, too, and other targets have no remedy for that.
func TestTheRemedyForRepliesThatBelongToNoMessage(t *testing.T) {
	for url, want := range map[string]string{"exec:./mine --flag": "brokerbench adapter test ./mine --flag", "nats://h": ""} {
		a := of([]*results.Cell{cell("mine", 1, 1, func(c *results.Cell) {
			c.Plan.Target.URL = url
			c.Judge([]results.Problem{
				{Code: results.CodeStrays, Severity: results.Suspect, Text: "replies that belong to no message: 12000 duplicate"},
				{Code: results.CodeFloor, Severity: results.Valid, Text: "close", Limits: []results.Limit{{Series: "response", Percentiles: []float64{50, 99, 100}}}},
			})
		})})
		if c := a.Belief.Causes[0]; c.Name != "strays" || c.Remedy != want {
			t.Errorf("%s: got %+v, want %q", url, a.Belief.Causes, want)
		}
	}
}

// A longer warm-up is twice as long as the target took to get warm. A target that changes later has no
// remedy: how long it would take is not known.
func TestTheWarmUpIsAsLongAsTheTargetTakes(t *testing.T) {
	cold := func(code results.Code, ns int64) func(*results.Cell) {
		return func(c *results.Cell) {
			c.Plan.Settings.Warmup, c.Steady = 5e9, &results.Steady{ColdNS: ns}
			c.Judge([]results.Problem{{Code: code, Severity: results.Suspect, Text: "p50 moved"}})
		}
	}
	for _, tt := range []struct {
		code results.Code
		ns   int64
		want string
	}{{results.CodeWarmup, 3e9, "--warmup 20s"}, {results.CodeWarmup, 20e9, "--warmup 50s"}, {results.CodeWarmup, 0, ""}, {results.CodeSteady, 3e9, ""}} {
		b := of([]*results.Cell{cell("nats", 1, 1, cold(tt.code, tt.ns))}).Belief
		if got := b.Causes[0].Remedy; got != tt.want {
			t.Errorf("%s, cold for %d ns: %q, want %q", tt.code, tt.ns, got, tt.want)
		}
	}
}

// A doubt that limits no percentile limits the numbers of the whole cell.
func TestASuspectCellIsLimited(t *testing.T) {
	reconnected := func(c *results.Cell) {
		c.Judge([]results.Problem{{Code: results.CodeEvents, Severity: results.Suspect, Text: "1 event on the connections"}})
	}
	if b := of([]*results.Cell{cell("nats", 1, 1, reconnected)}).Belief; b.Usable != 0 || b.Causes[0].Name != "events" {
		t.Errorf("%+v", b)
	}
}

// The remedy for few events is the time in which enough of them come.
func TestTheRemedyIsAsLongAsTheEventsTake(t *testing.T) {
	for _, c := range []struct {
		events float64
		text   string
		remedy string
	}{
		{0.5, "p99 rests on about 1 event", "-d 60s --repeat 5"}, // 10 events in 240 s
		{2, "p99 rests on about 2 events", "-d 20s --repeat 5"},  // in 60 s
		{9, "the interval of p99 is too wide", "-d 20s --repeat 5"},
	} {
		b := of([]*results.Cell{cell("nats", 1, 300, rare(c.events))}).Belief
		if got := b.Causes[0]; got.Name != "few-events" || got.Text != c.text || got.Remedy != c.remedy {
			t.Errorf("%v events: %+v", c.events, got)
		}
	}
}

// A rate that changes has its own duration: no remedy gives another, or another rate. The page
// and the terminal name each section by its rate and time.
func TestARemedyLeavesAChangingRateAlone(t *testing.T) {
	c := cell("nats", 1, 300, rare(2))
	c.Plan.Shape.Changes, c.Plan.Shape.Section = "step(1000@12s,5000@12s)", 2
	a := of([]*results.Cell{c})
	if got := a.Belief.Causes[0]; got.Name != "few-events" || got.Remedy != "--repeat 5" {
		t.Errorf("%+v", got)
	}
	if got := a.Shapes[0].Title; !strings.Contains(got, " at 5,000/s in 12–24 s") {
		t.Errorf("the section is called %q", got)
	}
	if next := strings.Join(a.Next, " "); next != "brokerbench run -d 12s --repeat 5" {
		t.Errorf("next is %q", next)
	}
}

// The next command is the same one with the remedy, which replaces its flags.
func TestTheNextCommandHasTheRemedy(t *testing.T) {
	few := cell("nats", 1, 300, rare(2))
	for _, c := range []struct{ command, want string }{
		{"brokerbench run nats -d 12s", "brokerbench run nats -d 20s --repeat 5"},
		{"brokerbench run --duration=12s --repeat 3 nats -d12s", "brokerbench run nats -d 20s --repeat 5"},
		{"brokerbench fault local:kafka --kill leader", "brokerbench fault local:kafka --kill leader -d 20s --repeat 5"},
		{"brokerbench search nats", ""},
		{"", ""},
	} {
		r := run([]*results.Cell{few})
		r.Command = strings.Fields(c.command)
		if got := strings.Join(answer.Of(r, []*results.Cell{few}).Next, " "); got != c.want {
			t.Errorf("after %q: got %q, want %q", c.command, got, c.want)
		}
	}
}

// A lower rate answers another question. It says so, and is the next command only if the user asked for no rate.
func TestALowerRateIsLeftToTheUser(t *testing.T) {
	late := func(c *results.Cell) { c.ReachedPerS, c.Ledger.Unsent = 600, 4000 }
	cells := []*results.Cell{cell("nats", 1, 300, limiting(results.CodeLag, 50), late)}
	few := []*results.Cell{cell("nats", 1, 300, rare(2), limiting(results.CodeLag, 50), late)}
	for _, tt := range []struct {
		command string
		cells   []*results.Cell
		want    string
	}{
		{"brokerbench run nats", cells, "brokerbench run nats -r 480"},
		{"brokerbench run nats -r 1000", cells, ""},
		{"brokerbench run nats --rate=1000", cells, ""},
		{"brokerbench run -f four.yaml", cells, ""},
		{"brokerbench run nats -r1000", few, "brokerbench run nats -r1000 -d 20s --repeat 5"},
		{"brokerbench run nats", few, "brokerbench run nats -r 480 -d 20s --repeat 5"},
	} {
		r := run(tt.cells)
		r.Command = strings.Fields(tt.command)
		a := answer.Of(r, tt.cells)
		if got := strings.Join(a.Next, " "); got != tt.want {
			t.Errorf("after %q: got %q, want %q", tt.command, got, tt.want)
		}
		if got := a.Belief.Causes[0].String(); got != "limited by this tool at p50 → at a lower rate: -r 480" {
			t.Errorf("cause %q", got)
		}
	}
}

// The next command has the larger of each flag that a line names.
func TestTheNextCommandSatisfiesEveryLine(t *testing.T) {
	var cells []*results.Cell
	for i, v := range []float64{0.3, -0.3, 0.2, -0.2, 0.01} {
		cells = append(cells, cell("kafka", i+1, 450*(1+v), rare(2)), cell("nats", i+1, 300*(1-v), rare(2)))
	}
	a := answer.Of(run(cells), cells)
	text, cause := strings.Join(a.Shapes[0].Sentences, "; "), a.Belief.Causes[0]
	if !strings.Contains(text, "--repeat 21") || !strings.HasSuffix(cause.Remedy, "--repeat 5") {
		t.Fatalf("%q, %q", text, cause.Remedy)
	}
	if got, want := strings.Join(a.Next, " "), "brokerbench run -d 30s --repeat 21"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, c := range cells {
		c.Plan.Settings.Duration = 2 * time.Minute
	}
	r := run(cells)
	r.Plan.Shapes = []plan.Shape{cells[0].Plan.Shape}
	if got, want := strings.Join(answer.Of(r, cells).Next, " "), "brokerbench run -d 300s --repeat 5"; got != want {
		t.Errorf("21 repeats of 300 s take hours: got %q, want %q", got, want)
	}
}

// A good answer asks the next question.
func TestTheNextQuestion(t *testing.T) {
	one := of(repeats("nats", 1, 0, 0.01, -0.01))
	if got := strings.Join(one.Next, " "); got != "brokerbench search -d 12s --slo p99<4ms" {
		t.Errorf("one target: %q", got)
	}
	two := of(repeats("kafka", 4, 0, 0.01, -0.01, 0.02, 0), repeats("nats", 1, 0.01, 0, 0.01, -0.01, 0))
	if got := strings.Join(two.Next, " "); got != "brokerbench compare" {
		t.Errorf("decided: %q", got)
	}
	once := of(repeats("kafka", 4, 0), repeats("nats", 1, 0))
	if got := strings.Join(once.Next, " "); got != "brokerbench run -d 12s --repeat 5" {
		t.Errorf("measured once: %q", got)
	}
}

// Repeats that take longer than half an hour are named with their time, and none of hours is the next
// command.
func TestNoNextCommandTakesHours(t *testing.T) {
	for _, tt := range []struct {
		window       time.Duration
		winner, next string
	}{
		{12 * time.Second, "nats ≤ kafka in this run → --repeat 5", "brokerbench run -d 12s --repeat 5"},
		{4 * time.Minute, "nats ≤ kafka in this run → --repeat 5 (40m)", "brokerbench run -d 12s --repeat 5"},
		{time.Hour, "nats ≤ kafka in this run → --repeat 5 (10h)", "brokerbench compare"},
	} {
		cells := slices.Concat(repeats("kafka", 4, 0), repeats("nats", 1, 0))
		r := run(cells)
		r.Plan.Settings.Duration, r.Plan.Shapes = tt.window, []plan.Shape{cells[0].Plan.Shape}
		a := answer.Of(r, cells)
		if got := a.Shapes[0].Sentences[0]; !strings.HasSuffix(got, tt.winner) {
			t.Errorf("%v: %q", tt.window, got)
		}
		if got := strings.Join(a.Next, " "); got != tt.next {
			t.Errorf("%v: next %q, want %q", tt.window, got, tt.next)
		}
	}
}

// Under several shapes the targets that win are counted.
func TestWinnersAreCounted(t *testing.T) {
	other := func(c *results.Cell) { c.Plan.Shape.Size = 256 }
	var cells []*results.Cell
	for i := range 5 {
		for scale, name := range []string{"nats", "kafka"} {
			cells = append(cells, cell(name, i+1, float64(1+3*scale)*(1+float64(i)/1000)), cell(name, i+1, float64(4-3*scale)*(1+float64(i)/1000), other))
		}
	}
	a := answer.Of(run(cells), cells)
	want := "nats is the fastest in 1 of 2 shapes, kafka is the fastest in 1 of 2 shapes"
	if got := a.Winners(); !slices.Equal(got, []string{"p50: " + want, "p99: " + want}) {
		t.Errorf("got %q", got)
	}
	if common, own := a.Titles(); common != "1,000/s, 1 connection" || !slices.Equal(own, []string{"1KiB", "256B"}) {
		t.Errorf("%q, %q", common, own)
	}
}

// A floor that is not below the targets is none.
func TestAFloorAboveTheTargetIsNone(t *testing.T) {
	noisy := func(c *results.Cell) { c.Floor = &results.Floor{Echo: results.FloorRun{Response: distribution(2)}} }
	if floor, _, below := of([]*results.Cell{cell("redis", 1, 1, noisy)}).Shapes[0].Floor(); floor == nil || below {
		t.Errorf("%+v, below %v", floor, below)
	}
}

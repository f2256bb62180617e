package plan_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
)

// A trace's messages are due at exactly the times of its lines, also after the plan went through
// JSON, as it does to be resumed.
func TestATraceKeepsItsTimes(t *testing.T) {
	trace, changes, err := plan.ReadTrace("some/arrivals.txt", strings.NewReader("0\n0\n0.000000001\n 1.5\n2\n61.999999999\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := []time.Duration{0, 0, 1, 1500 * time.Millisecond, 2 * time.Second, 62*time.Second - 1}
	if changes.Long() != 62*time.Second || !strings.HasPrefix(string(changes), "trace(arrivals.txt,"+trace.SHA256[:12]) {
		t.Errorf("%s", changes)
	}
	cell := plan.Cell{Shape: plan.Shape{Changes: changes}, Settings: plan.Settings{Traces: []plan.Trace{trace}}}
	text, err := json.Marshal(cell)
	if err == nil {
		cell = plan.Cell{}
		err = json.Unmarshal(text, &cell)
	}
	if err != nil {
		t.Fatal(err)
	}
	cell.Settings = cell.Settings.For(cell.Shape)
	cell.Shape.Rate = cell.Settings.MeanRate(changes)
	spec := cell.Schedule()
	if got := slices.Collect(spec.Offsets(schedule.Part{})); !slices.Equal(got, want) {
		t.Errorf("due at %v, want %v", got, want)
	}
	due := 0.
	for _, s := range cell.Sections() {
		due += float64(s.Shape.Rate) * s.Settings.Duration.Seconds()
	}
	if due < 5.99 || due > 6.01 {
		t.Errorf("the sections have %v messages, want 6", due)
	}
	if left := cell.Settings.WithoutTimes().Traces; len(left) != 1 || left[0].DueNS != nil || left[0].SHA256 != trace.SHA256 || cell.Settings.Traces[0].DueNS == nil {
		t.Errorf("results have %+v", left)
	}
}

func TestTracesThatAreRefused(t *testing.T) {
	for text, says := range map[string]string{
		"":                       "t:",
		"1\n2\n1.5\n":            "t:3: the trace runs backward: 1.5 s comes after 2 s",
		"1\n\n":                  `t:2: "" is no number`,
		"x\n":                    `t:1: "x" is no number`,
		"NaN\n":                  "t:1: ",
		"1\n+Inf\n":              "t:2: ",
		"-1\n":                   "t:1: -1 s is not between 0 and 24h",
		"86400\n":                "t:1: 86400 s is not between",
		"0.5\n":                  "ends after 500ms",
		strings.Repeat("1\n", 2): "", // ends within the second second
	} {
		_, _, err := plan.ReadTrace("t", strings.NewReader(text))
		if says == "" && err != nil || says != "" && (err == nil || !strings.Contains(err.Error(), says)) {
			t.Errorf("%q: %v, want %q", text, err, says)
		}
	}
	if _, _, err := plan.ReadTrace("t", strings.NewReader(strings.Repeat("5\n", 500_001))); err == nil || !strings.Contains(err.Error(), "t:500001: a trace has 500000 lines") {
		t.Errorf("too many lines: %v", err)
	}
}

// A plan without the times of its trace, or with others, is refused.
func TestAPlanHoldsItsTraces(t *testing.T) {
	trace, changes, err := plan.ReadTrace("t", strings.NewReader("0\n5\n"))
	if err != nil {
		t.Fatal(err)
	}
	p := valid()
	p.Shapes = []plan.Shape{{Rate: 1, Size: 16, Connections: 1, Changes: changes}}
	broken, short := trace, trace
	broken.DueNS, short.Messages = []byte{1, 2, 3}, 3
	for _, tt := range []struct {
		traces []plan.Trace
		valid  bool
	}{{nil, false}, {[]plan.Trace{broken}, false}, {[]plan.Trace{short}, false}, {[]plan.Trace{trace}, true}} {
		p.Settings.Traces = tt.traces
		if err := p.Validate(); (err == nil) != tt.valid {
			t.Errorf("%+v: %v", tt.traces, err)
		}
	}
	p.Shapes[0].Arrivals = schedule.Poisson
	if p.Validate() == nil {
		t.Error("a trace with random arrivals is valid")
	}
	p.Shapes[0].Arrivals, p.Settings.Faults = "", []plan.Fault{{Do: plan.Kill, Node: "1"}}
	if err := p.Validate(); err == nil || !strings.Contains(err.Error(), "faults and a rate that changes") {
		t.Errorf("faults: %v", err)
	}
}

// The sections of a part have its share of each rate; names of files and for people differ.
func TestSectionsOfACell(t *testing.T) {
	changes, err := schedule.Ramp(1000, 20_000, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	whole := plan.Cell{
		Target: plan.Target{Name: "a"}, Shape: plan.Shape{Rate: 10_500, Size: 16, Connections: 4, Changes: changes},
		Settings: plan.Settings{Warmup: time.Second, Duration: time.Minute},
	}
	part, err := whole.Part(schedule.Part{Index: 1, Of: 4})
	if err != nil {
		t.Fatal(err)
	}
	second, quarter := whole.Sections()[1], part.Sections()[1]
	if second.Shape.Rate != 3850 || quarter.Shape.Rate != 962.5 || second.Settings.Warmup != 7*time.Second || second.Settings.Duration != 6*time.Second {
		t.Errorf("%+v, part %+v", second, quarter)
	}
	if whole.Peak().Shape.Rate != 19_050 || whole.Peak().Shape.Changes != "" {
		t.Errorf("the peak is %+v", whole.Peak().Shape)
	}
	for got, want := range map[string]string{
		whole.ID(): "a-ramp-1000-20000-1m0s-16B-c4-fopen-r1", second.ID(): "a-ramp-1000-20000-1m0s-16B-c4-fopen-s2-r1",
		whole.Shape.RateText(): "ramp(1000..20000,1m0s)", second.Shape.RateText(): "2,900–4,800/s in 6–12 s", second.Shape.RateColumn(): "2,900–4,800 in 6–12 s",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

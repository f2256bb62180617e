package plan_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
)

func valid() plan.Plan {
	return plan.Plan{
		Targets: []plan.Target{{Name: "a", URL: "x://1"}, {Name: "b", URL: "x://2"}},
		Shapes: []plan.Shape{
			{Rate: 1, Size: 16, Connections: 1, Arrivals: schedule.Constant},
			{Rate: 1, Size: 16, Connections: 3, Arrivals: schedule.Constant},
			{Rate: 2, Size: 16, Connections: 1, Arrivals: schedule.Constant},
			{Rate: 2, Size: 16, Connections: 3, Arrivals: schedule.Constant},
		},
		Settings: plan.Settings{Duration: time.Second, Warmup: time.Second, Timeout: time.Second},
		Repeat:   2,
	}
}

func TestCellsAreEveryShapeOnEveryTarget(t *testing.T) {
	p := valid()
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	cells := p.Cells()
	if len(cells) != 2*2*2*2 || p.Took() != 32*time.Second {
		t.Fatalf("%d cells in %v, want 16 in 32s", len(cells), p.Took())
	}
	for i, c := range cells {
		if want := p.Shapes[i/2%4]; c.Shape != want || c.Repeat != 1+i/8 {
			t.Errorf("cell %d is %v, repeat %d; want %v, repeat %d", i, c.Shape, c.Repeat, want, 1+i/8)
		}
		if other := cells[i^1]; other.Target == c.Target {
			t.Errorf("cells %d and %d are both of %s", i, i^1, c.Target.Name)
		}
	}
}

func TestValidateReportsEveryMistake(t *testing.T) {
	p := valid()
	p.Targets[1].Name = "a"
	p.Shapes[0] = plan.Shape{Rate: 0, Size: 12, Connections: 0, InFlight: -1, Arrivals: "never"}
	p.Settings = plan.Settings{Warmup: -1, Senders: -1}
	err := p.Validate()
	for _, want := range []string{
		`two targets are named "a"`, "rate 0/s", "size 12 B is below the 16 B", "connections 0", "in-flight -1",
		`arrivals "never"`, "duration 0s", "warm-up -1ns", "timeout 0s", "senders -1",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Validate does not say %s: %v", want, err)
		}
	}
	if err := (plan.Plan{}).Validate(); err == nil || !strings.Contains(err.Error(), "no targets") {
		t.Errorf("an empty plan: %v", err)
	}
}

func TestCellSurvivesJSON(t *testing.T) {
	for _, spin := range []plan.Spin{{}, plan.SpinFor(0), plan.SpinFor(50 * time.Microsecond)} {
		want := valid().Cells()[0]
		want.Settings.Spin = spin
		text, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got plan.Cell
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatal(err)
		}
		if again, _ := json.Marshal(got); string(again) != string(text) || got.Settings.Spin.String() != spin.String() {
			t.Errorf("%s came back as %s", text, again)
		}
	}
}

// A folder's name has letters, digits and dashes only.
func TestShapesNameFolders(t *testing.T) {
	for arrivals, want := range map[schedule.Arrivals]string{
		"": "20-16B-c3-fopen", schedule.Constant: "20-16B-c3-fopen", schedule.Poisson: "20-16B-c3-fopen-poisson", schedule.Burst(10): "20-16B-c3-fopen-burst10",
	} {
		shape := plan.Shape{Rate: 20, Size: 16, Connections: 3, Arrivals: arrivals}
		if got := shape.ID(); got != want {
			t.Errorf("%q: %s, want %s", arrivals, got, want)
		}
	}
}

// People read the target, the shape and the repeat, and leave out what is usual.
func TestCellsHaveNamesForPeople(t *testing.T) {
	many := plan.Shape{Rate: 0.1, Size: 1000, Connections: 25, InFlight: 4, Arrivals: schedule.Burst(10)}
	few := plan.Shape{Rate: 1000, Size: 1 << 10, Connections: 1, Arrivals: schedule.Constant}
	for want, cell := range map[string]plan.Cell{
		"nats, 1 KiB at 1,000/s":                                                {Shape: few, Repeat: 1},
		"nats, 1 KiB at 1,000/s, repeat 2":                                      {Shape: few, Repeat: 2},
		"nats, 1 KiB at 1,000/s, repeat 1 of 5":                                 {Shape: few, Repeat: 1, Repeats: 5},
		"nats, 1000 B at 0.1/s, 25 connections, 4 in flight, arrivals burst:10": {Shape: many},
		"nats, 1 MiB at 7/m, repeat 5 of 5":                                     {Shape: plan.Shape{Rate: schedule.RateOf(7 * schedule.PerMinute), Size: 1 << 20, Connections: 1}, Repeat: 5, Repeats: 5},
	} {
		if cell.Target.Name = "nats"; cell.String() != want {
			t.Errorf("%v, want %s", cell, want)
		}
	}
	p := plan.Plan{Targets: []plan.Target{{Name: "nats"}}, Shapes: []plan.Shape{few}, Repeat: 2}
	if cells := p.Cells(); cells[1].String() != "nats, 1 KiB at 1,000/s, repeat 2 of 2" || cells[0].Title() != "nats, 1 KiB at 1,000/s" {
		t.Errorf("%v", cells)
	}
}

func TestSpinRefuses(t *testing.T) {
	for _, text := range []string{"", "50", "-1us", "automatic"} {
		var s plan.Spin
		if err := s.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("spin %q is taken as %v", text, s)
		}
	}
}

func ExamplePlan_Cells() {
	p := plan.Plan{
		Targets: []plan.Target{{Name: "nats", URL: "nats://127.0.0.1:4222"}},
		Shapes:  []plan.Shape{{Rate: 3000, Size: 256, Connections: 1}, {Rate: 100, Size: 1 << 20, Connections: 1}},
	}
	for _, c := range p.Cells() {
		fmt.Println(c.Target.Name, c.Shape.Rate.Column(), c.Shape.Size)
	}
	// Output:
	// nats 3000 256
	// nats 100 1048576
}

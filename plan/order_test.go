package plan_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
)

// orders returns the order of targets of each repeat and shape.
func orders(p plan.Plan) (list []string) {
	var names strings.Builder
	for i, c := range p.Cells() {
		names.WriteString(c.Target.Name)
		if (i+1)%len(p.Targets) == 0 {
			list = append(list, names.String())
			names.Reset()
		}
	}
	return list
}

func TestWithoutRepeatsTheOrderIsThePlans(t *testing.T) {
	for repeat := range 2 {
		p := valid()
		p.Repeat = repeat
		if got := fmt.Sprint(orders(p)); got != "[ab ab ab ab]" {
			t.Errorf("repeat %d: %s", repeat, got)
		}
	}
}

// Each of the six orders of three targets comes as often as any other: of 6,000
// draws 1,000, with a standard deviation of √(6000·1/6·5/6) = 29.
func TestRepeatsFavourNoTarget(t *testing.T) {
	p := valid()
	p.Targets = append(p.Targets, plan.Target{Name: "c"})
	p.Repeat = 6000 / len(p.Shapes)
	counts := make(map[string]int)
	for _, order := range orders(p) {
		counts[order]++
	}
	for order, n := range counts {
		if n < 1000-4*29 || n > 1000+4*29 {
			t.Errorf("%s is drawn %d times of 6000", order, n)
		}
	}
	if len(counts) != 6 {
		t.Errorf("%d orders, want 6: %v", len(counts), counts)
	}
}

// Of every two repeats of a shape the second has the order of the first reversed: a machine that
// becomes slower by the same amount from run to run slows all targets alike.
func TestEverySecondRepeatIsReversed(t *testing.T) {
	p := valid()
	p.Targets = append(p.Targets, plan.Target{Name: "c"}, plan.Target{Name: "d"})
	p.Repeat = 10
	list, drawn := orders(p), make(map[string]bool)
	for i, order := range list {
		repeat := i / len(p.Shapes)
		if repeat%2 == 0 {
			drawn[order] = true
			continue
		}
		before := []byte(list[i-len(p.Shapes)])
		if slices.Reverse(before); order != string(before) {
			t.Errorf("repeat %d has %s, want %s", repeat+1, order, before)
		}
	}
	if len(drawn) < 3 {
		t.Errorf("only %v are drawn", drawn)
	}
}

func TestTheSeedSetsTheOrder(t *testing.T) {
	p := valid()
	p.Repeat = 10
	first := orders(p)
	if again := orders(p); !slices.Equal(first, again) {
		t.Errorf("the same seed draws %v and %v", first, again)
	}
	p.Settings.Seed++
	if other := orders(p); slices.Equal(first, other) {
		t.Errorf("two seeds draw the same: %v", other)
	}
}

// Targets of one repeat get the same arrivals, repeats different ones.
func TestRepeatsDrawArrivalsOfTheirOwn(t *testing.T) {
	p := valid()
	p.Shapes = []plan.Shape{{Rate: 1000, Size: 16, Connections: 1, Arrivals: schedule.Poisson}}
	p.Settings.Seed = 7
	drawn := make(map[int]string)
	for _, c := range p.Cells() {
		due := fmt.Sprint(slices.Collect(c.Schedule().Offsets(schedule.Part{})))
		if same, ok := drawn[c.Repeat]; ok && same != due {
			t.Errorf("%s has other arrivals than its neighbour", c.ID())
		}
		drawn[c.Repeat] = due
	}
	if drawn[1] == drawn[2] {
		t.Error("both repeats have the same arrivals")
	}
	if seed := (plan.Cell{Settings: p.Settings}).Schedule().Seed; seed != 7 {
		t.Errorf("a cell without a repeat has seed %d, want 7", seed)
	}
}

func TestRepeatsShareAName(t *testing.T) {
	c := plan.Cell{Target: plan.Target{Name: "nats"}, Shape: plan.Shape{Rate: 1, Size: 16, Connections: 1}, Repeat: 2}
	if c.SharedID() != "nats-1-16B-c1-fopen" || c.ID() != "nats-1-16B-c1-fopen-r2" {
		t.Errorf("%s, %s", c.SharedID(), c.ID())
	}
}

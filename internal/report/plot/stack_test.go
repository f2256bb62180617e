package plot_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/report/input"
	"github.com/brokerbench/brokerbench/internal/report/palette"
	"github.com/brokerbench/brokerbench/internal/report/plot"
	"github.com/brokerbench/brokerbench/internal/resultstest"
	"github.com/brokerbench/brokerbench/results"
)

// durable is a run of three targets: one that tells everything, one whose client does not say
// when a message is on the socket, one that acknowledges nothing.
func durable(t *testing.T, missing int64) string {
	seconds := stalled(1000, 4, 99, 2*time.Millisecond)
	return resultstest.Write(t, "durable",
		resultstest.Cell{Target: "redis", Rate: 1000, Seconds: seconds, Probes: resultstest.Probes{"lag": 100, "published": 20, "ack": 2, "complete": 1}},
		resultstest.Cell{Target: "jetstream", Rate: 1000, Seconds: seconds, Missing: missing, Probes: resultstest.Probes{"lag": 80, "ack": 3, "complete": 1}},
		resultstest.Cell{Target: "nats", Rate: 1000, Seconds: seconds, Probes: resultstest.Probes{"lag": 90}, Change: func(c *results.Cell) {
			c.Judge([]results.Problem{{Code: "few", Severity: results.Suspect, Limits: []results.Limit{{Series: "response", Percentiles: []float64{99}}}}})
		}},
	)
}

// stacks reads the stacks of paths, of which repeats are one.
func stacks(t *testing.T, paths ...string) (all []input.Stack, common string) {
	t.Helper()
	groups := input.Repeats(find(t, paths...))
	names, common := input.Names(groups)
	for i, g := range groups {
		s, err := input.NewStack(g, names[i])
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	return all, common
}

// endsOf returns where the bars of a stack end, by the names of the probes.
func endsOf(s input.Stack, percentile float64) map[string]time.Duration {
	ends := make(map[string]time.Duration)
	for _, p := range s.Probes {
		row, _ := p.At(percentile)
		ends[p.Name], _ = row.Value()
	}
	return ends
}

// A probe that a cell does not have is not drawn; each ends at its own percentile.
func TestStacks(t *testing.T) {
	all, common := stacks(t, durable(t, 0))
	ends := endsOf(all[0], 99)
	if d, a := ends["delivered"], ends["acknowledged"]; len(ends) != 4 || a < d/2-d/500 || a > d/2+d/500 || ends["published"] > a || ends["lag"] > ends["published"] {
		t.Errorf("%v", ends)
	}
	if len(all[1].Probes) != 3 || len(all[2].Probes) != 2 {
		t.Errorf("%d and %d probes", len(all[1].Probes), len(all[2].Probes))
	}
	svg := drawn(t, "stack.svg", must(t)(plot.Stacks(all, 99, common, plot.Options{})))
	if strings.Contains(svg, "logarithmic") {
		t.Error("the axis is logarithmic, although the bars are alike")
	}
}

// Bars that are far apart are on a logarithmic axis, and it is said what that means; what is
// unknown is crossed.
func TestStacksFarApart(t *testing.T) {
	slow := resultstest.Write(t, "slow", resultstest.Cell{Target: "slow", Rate: 1000, Seconds: stalled(1000, 4, 1, 40*time.Millisecond), Probes: resultstest.Probes{"lag": 900, "ack": 1, "complete": 1}})
	all, _ := stacks(t, durable(t, 100), slow)
	drawn(t, "stack-log.svg", must(t)(plot.Stacks(all, 99.9, "", plot.Options{Theme: palette.Dark})))
	if linear := svgOf(t, must(t)(plot.Stacks(all, 99.9, "", plot.Options{Axis: plot.Linear}))); strings.Contains(linear, "logarithmic") {
		t.Error("--linear is not")
	}
}

// Repeats are one bar of all their messages.
func TestStacksOfRepeats(t *testing.T) {
	var cells []resultstest.Cell
	for repeat := range 3 {
		cells = append(cells, resultstest.Cell{
			Target: "redis", Rate: 1000, Repeat: repeat + 1, Seconds: stalled(1000, 4, 99, time.Duration(1+repeat)*time.Millisecond),
			Missing: int64(repeat), Probes: resultstest.Probes{"lag": 100, "ack": 2, "complete": 1},
		})
	}
	all, _ := stacks(t, resultstest.Write(t, "repeats", cells...))
	if len(all) != 1 || len(all[0].Probes) != 3 {
		t.Fatalf("%+v", all)
	}
	for _, p := range all[0].Probes {
		if want := map[string]int64{"lag": 0, "acknowledged": 3, "delivered": 3}[p.Name]; p.Count != 12_000 || p.Name != "lag" && p.Missing != want {
			t.Errorf("%s: %d, %d missing", p.Name, p.Count, p.Missing)
		}
	}
	if ends := endsOf(all[0], 50); ends["delivered"] < 2*time.Millisecond || ends["delivered"] > 3*time.Millisecond || ends["acknowledged"] > ends["delivered"] {
		t.Errorf("%v", ends)
	}
}

// A cell in which nothing came back has no bar, and a file none at all.
func TestStacksOfNothing(t *testing.T) {
	dead := resultstest.Write(t, "dead", resultstest.Cell{Target: "dead", Rate: 10, Missing: 10})
	all, _ := stacks(t, durable(t, 0), dead)
	must(t)(plot.Stacks(all, 99, "", plot.Options{}))
	if _, err := plot.Stacks(all[3:], 99, "", plot.Options{}); !errors.Is(err, input.ErrInput) {
		t.Errorf("%v", err)
	}
	if _, err := input.NewStack(find(t, "testdata/wrk2.txt"), ""); !errors.Is(err, input.ErrInput) || !strings.Contains(err.Error(), "a file has no probes") {
		t.Errorf("%v", err)
	}
}

// Names of any length leave room for the bars.
func TestStacksWithLongNames(t *testing.T) {
	name := strings.Repeat("long", 40)
	all, _ := stacks(t, resultstest.Write(t, "long", resultstest.Cell{Target: name, Rate: 10, Seconds: stalled(10, 2, 9, time.Millisecond), Probes: resultstest.Probes{"ack": 2}}))
	if svg := svgOf(t, must(t)(plot.Stacks(all, 99, "", plot.Options{}))); strings.Contains(svg, name+"<") || !strings.Contains(svg, "…<") {
		t.Error("the name is not cut")
	}
}

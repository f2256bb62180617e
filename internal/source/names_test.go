package source_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/brokerbench/brokerbench/internal/source"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/results"
)

// of returns a source that is a cell.
func of(run, target string, shape plan.Shape, repeat int) source.Source {
	c := &results.Cell{Plan: plan.Cell{Target: plan.Target{Name: target}, Shape: shape, Repeat: repeat}}
	return source.Source{Path: run + "/cells/" + c.Plan.ID(), Run: run, Cell: c}
}

func TestNames(t *testing.T) {
	base := plan.Shape{Rate: 1000, Size: 1024, Connections: 1}
	faster, limited := base, base
	faster.Rate, limited.InFlight, limited.Arrivals = 3000, 1, schedule.Poisson
	file := source.Source{Path: "x/wrk2.txt"}
	for _, tt := range []struct {
		name    string
		sources []source.Source
		want    []string
		common  string
	}{
		{"none", nil, nil, ""},
		{"one", []source.Source{of("a", "nats", base, 1)}, []string{"nats"}, "1000/s, 1KiB, 1 connection"},
		{"rates", []source.Source{of("a", "nats", base, 1), of("a", "nats", faster, 1)}, []string{"nats 1000/s", "nats 3000/s"}, "1KiB, 1 connection"},
		{"targets", []source.Source{of("a", "nats", base, 1), of("a", "redis", base, 1)}, []string{"nats", "redis"}, "1000/s, 1KiB, 1 connection"},
		{"what goes without saying", []source.Source{of("a", "nats", base, 1), of("a", "nats", limited, 2)}, []string{"nats", "nats 1 in flight poisson repeat 2"}, "1000/s, 1KiB, 1 connection"},
		{"runs", []source.Source{of("a/b", "nats", base, 1), of("a/c", "nats", base, 1)}, []string{"nats b", "nats c"}, "1000/s, 1KiB, 1 connection"},
		{"a file", []source.Source{file, of("a", "nats", base, 1)}, []string{"wrk2.txt", "nats 1000/s 1KiB 1 connection"}, ""},
		{"files of one name", []source.Source{file, {Path: "y/wrk2.txt"}}, []string{"wrk2.txt x/wrk2.txt", "wrk2.txt y/wrk2.txt"}, ""},
	} {
		names, common := source.Names(tt.sources)
		if !slices.Equal(names, tt.want) || common != tt.common {
			t.Errorf("%s: %q, in common %q; want %q, %q", tt.name, names, common, tt.want, tt.common)
		}
	}
}

func ExampleFind() {
	found, _, err := source.Find([]string{golden + "stall.hgrm"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(found[0].Name(), found[0].Table.Count, found[0].Table.Max, "ms")
	// Output: stall.hgrm 10000 1001.39 ms
}

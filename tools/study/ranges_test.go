package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/resultstest"
	"github.com/brokerbench/brokerbench/results"
)

// A table has the floor first, targets in the order of the plan, and marks numbers of limited use.
func TestRanges(t *testing.T) {
	var cells []resultstest.Cell
	for repeat := 1; repeat <= 2; repeat++ {
		one := time.Duration(repeat) * time.Millisecond
		taken := func(c *results.Cell) {
			floor := results.Floor{Echo: results.FloorRun{Response: c.Response}}
			c.Floor, c.Cost = &floor, &results.Cost{NodesCPUNS: new(float64(repeat) * 70_000)}
			c.Response.Percentiles[0].Use = results.Usable
		}
		cells = append(cells,
			resultstest.Cell{Target: "slow", Rate: 2000, Repeat: repeat, Seconds: [][]time.Duration{{4 * one}}, Change: taken},
			resultstest.Cell{Target: "fast", Rate: 2000, Repeat: repeat, Seconds: [][]time.Duration{{time.Millisecond}}, Missing: 1},
			resultstest.Cell{Target: "fast", Rate: 1000, Repeat: repeat, Seconds: [][]time.Duration{{one}}, Change: func(c *results.Cell) {
				c.Plan.Shape.UntilStore = 1 << 30
			}},
			resultstest.Cell{Target: "slow", Rate: 1000, Repeat: repeat, Seconds: [][]time.Duration{{time.Millisecond}}})
	}
	a := author{bundle: bundle{dir: t.TempDir()}}
	if err := os.CopyFS(filepath.Join(a.dir, "runs", "20261121-060000-x"), os.DirFS(resultstest.Write(t, "x", cells...))); err != nil {
		t.Fatal(err)
	}
	got, err := a.ranges("x", 50, 100)
	const want = `| target | messages a second | p50, ms | max, ms | CPU time of nodes for a message, µs |
|---|---|---|---|---|
| slow | 1,000 | ~1.00 | 1.00 | - |
| fast beside 1024MiB | 1,000 | ~1.00 to 2.00 | 1.00 to 2.00 | - |
| a TCP echo | 2,000 | 4.00 to 8.00 | 4.00 to 8.00 | - |
| slow | 2,000 | 4.00 to 8.00 | 4.00 to 8.00 | 70 to 140 |
| fast | 2,000 | ~1.00 | unknown | - |
`
	if err != nil || got != want {
		t.Errorf("%v, got\n%s", err, got)
	}
	if _, err := a.ranges("y", 50); err == nil {
		t.Error("a run that is not there has a table")
	}
}

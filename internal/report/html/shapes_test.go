package html_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/results"
)

// The document groups cells by shape, and repeats of a target into one series, across
// several runs.
func TestShapesAndSeries(t *testing.T) {
	list := []measurement{
		{target: "a", rate: 100, window: 1, typical: time.Millisecond},
		{target: "b", rate: 100, window: 1},
		{target: "a", rate: 200, window: 1},
		{target: "a", rate: 100, repeat: 2, window: 1, typical: 4 * time.Millisecond, change: func(c *results.Cell) {
			c.Judge([]results.Problem{{Code: results.CodeHiccups, Severity: results.Valid, Limits: []results.Limit{{Series: "response", Percentiles: []float64{100}}}}})
		}},
	}
	_, text := write(t, newStore(t, "one", list...), newStore(t, "two", list[1]))
	_, data, _ := strings.Cut(text, `id="data">`)
	data, _, _ = strings.Cut(data, "</script>")
	var document struct {
		Shapes []struct {
			Name    string
			Targets []struct {
				Run      int
				Cells    []int
				FloorNS  int64 `json:"floor_ns"`
				Response map[string]struct {
					NS, Low, High *int64
					Trusted       bool
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(data), &document); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range document.Shapes {
		line := s.Name
		for _, target := range s.Targets {
			if len(target.Cells) > 1 && target.Response["100"].Trusted {
				t.Errorf("%s: the maximum of a repeat is limited, that of all is not", s.Name)
			}
			line += fmt.Sprint(" ", target.Run, target.Cells)
			if target.FloorNS == 0 || (len(target.Cells) > 1) != (len(target.Response) == 6) {
				t.Errorf("%s: %+v", s.Name, target)
			}
			if p50 := target.Response["50"]; len(target.Cells) > 1 && (*p50.NS < 1e6 || *p50.NS > 4e6 || p50.Low != nil || p50.High != nil) {
				t.Errorf("p50 of 1 and 4 ms: %+v, want one of them, and no bounds: two repeats do not show any", p50)
			}
		}
		got = append(got, line)
	}
	if want := "1 KiB at 100/s 0 [1] 1 [4] 0 [0 3]|1 KiB at 200/s 0 [2]"; strings.Join(got, "|") != want {
		t.Errorf("shapes %q, want %s", got, want)
	}
}

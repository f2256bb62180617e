package search_test

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/golden"
	"github.com/brokerbench/brokerbench/measure/search"
	"github.com/brokerbench/brokerbench/plan"
)

// sample has a row of every status.
func sample(t *testing.T) []search.Result {
	t.Helper()
	shape := plan.Shape{Rate: 1000, Size: 1024, Connections: 25, Arrivals: "constant"}
	return []search.Result{
		{Target: "nats", Shape: shape, Probes: make([]search.Probe, 17), Rows: []search.Row{
			{Objective: parse(t, "p99<1ms"), Status: search.Found, Rate: 21_337, Above: 22_282, Confirmed: true, At: "912.3µs", Over: "1.204ms"},
			{Objective: parse(t, "p99<5ms"), Status: search.Found, Rate: 38_112, Above: 40_018, Confirmed: true, Steps: -2, At: "3.12ms", Over: "212.4ms", Reason: "reached 38544/s"},
			{Objective: parse(t, "p99<1s"), Status: search.ByClient, Rate: 41_000, Above: 43_000, Confirmed: true, At: "4.12ms", Over: "1.412s", Reason: "this client reached only 41870/s against a TCP echo"},
		}},
		{Target: "a|b", Shape: plan.Shape{Rate: 1000, Size: 100, Connections: 1, InFlight: 1, Arrivals: "poisson"}, Probes: make([]search.Probe, 1), Rows: []search.Row{
			{Objective: parse(t, "loss<0.1%"), Status: search.AtMax, Rate: 50_000, Confirmed: true, Steps: 1, At: "0 %"},
			{Objective: parse(t, "p99.9<1ms"), Status: search.NotKnown, Above: 1000, Over: "3.4ms", Reason: "the tail is this machine's"},
			{Objective: parse(t, "p50<1µs"), Status: search.NotKept, Above: 1000, Over: "81.2µs"},
			{Objective: parse(t, "max<1s"), Status: search.Unfinished, Rate: 2000, At: "21ms"},
		}},
	}
}

func TestDocument(t *testing.T) {
	list := sample(t)
	list[0].Probes = list[0].Probes[:1]
	list[0].Probes[0] = search.Probe{
		Rate: 21_337, Window: 5 * time.Second, Confirm: true, CellID: "nats-21337-1024B-c25-fopen-r1",
		Answers: []search.Judgement{
			{Answer: search.Kept, Measured: "912.3µs"},
			{Answer: search.Missed, Sure: true, Measured: "212.4ms", Reason: "reached 20000/s"},
		},
	}
	var got bytes.Buffer
	if err := search.NewDocument(search.Config{}, list).Write(&got); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "search.json", got.String())
}

func TestNoSearchIsAnEmptyList(t *testing.T) {
	var got bytes.Buffer
	if err := search.NewDocument(search.Config{}, nil).Write(&got); err != nil || !strings.Contains(got.String(), `"searches": []`) {
		t.Errorf("%s, %v", got.String(), err)
	}
}

func TestTables(t *testing.T) {
	for name, write := range map[string]func(io.Writer, search.Config, []search.Result) error{
		"table.txt": search.Table, "table.md": search.Markdown,
		"table.csv": func(w io.Writer, _ search.Config, list []search.Result) error { return search.CSV(w, list) },
	} {
		var got bytes.Buffer
		if err := write(&got, search.Config{}, sample(t)); err != nil {
			t.Fatal(err)
		}
		golden.Check(t, name, got.String())
	}
}

func TestWorst(t *testing.T) {
	list := sample(t)
	for _, tt := range []struct {
		rows []search.Row
		want search.Status
	}{
		{nil, search.Found},
		{list[0].Rows[:2], search.Found},
		{list[0].Rows, search.ByClient},
		{list[1].Rows[:1], search.AtMax},
		{list[1].Rows[:2], search.NotKnown},
		{list[1].Rows[:3], search.NotKept},
		{list[1].Rows, search.Unfinished},
	} {
		if got := search.Worst([]search.Result{{Rows: tt.rows}}); got != tt.want {
			t.Errorf("%d rows: %s, want %s", len(tt.rows), got, tt.want)
		}
	}
}

package report_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/golden"
	"github.com/brokerbench/brokerbench/measure/search"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/report"
	"github.com/brokerbench/brokerbench/report/document"
	"github.com/brokerbench/brokerbench/results"
)

// searches have a row of every status.
func searches(t *testing.T) []search.Result {
	t.Helper()
	parse := func(t *testing.T, text string) plan.Objective {
		t.Helper()
		o, err := plan.ParseObjective(text)
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
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

func TestSearch(t *testing.T) {
	list := searches(t)
	d := report.Search(results.Run{}, search.NewDocument(search.Config{}, list))
	wantGolden(t, "search", d)
	list[0].Probes = []search.Probe{{
		Rate: 21_337, Window: 5 * time.Second, Confirm: true, CellID: "nats-21337-1024B-c25-fopen-r1",
		Answers: []search.Judgement{
			{Answer: search.Kept, Measured: "912.3µs"},
			{Answer: search.Missed, Sure: true, Measured: "212.4ms", Reason: "reached 20000/s"},
		},
	}}
	want := search.NewDocument(search.Config{}, list)
	var file strings.Builder
	if err := document.WriteJSON(&file, want); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "search.json", file.String())
	var got struct {
		Run    results.Run
		Search search.Document
	}
	text := written(t, report.Search(results.Run{Name: "found"}, want), document.JSON)
	if err := json.Unmarshal([]byte(text), &got); err != nil || got.Run.Name != "found" || !reflect.DeepEqual(got.Search, want) {
		t.Errorf("%v: got %+v, want %+v", err, got, want)
	}
}

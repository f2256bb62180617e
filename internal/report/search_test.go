package report_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/golden"
	"github.com/brokerbench/brokerbench/internal/report"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/internal/search"
	"github.com/brokerbench/brokerbench/plan"
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
	at := func(measured string, window time.Duration, messages, over int64, high float64) *search.Evidence {
		return &search.Evidence{Probes: 2, Window: window, Measured: measured, Messages: messages, Exceed: over, Low: high / 4, High: high, Rarer: window / 3}
	}
	const minute = time.Minute
	return []search.Result{
		{Target: "nats", Shape: shape, Took: 7 * minute, Probes: make([]search.Probe, 17), Rows: []search.Row{
			{Objective: parse(t, "p99<1ms"), Status: search.Found, Rate: 21_337, Above: 22_282, At: at("912.3µs", minute, 1_280_220, 6402, 0.0091), Over: at("1.204ms", minute, 1_336_920, 19_000, 0.02)},
			{Objective: parse(t, "p99<5ms"), Status: search.Found, Rate: 38_112, Above: 40_018, At: at("3.12ms", minute, 2_286_720, 0, 0.0031), Over: at("212.4ms", minute, 2_401_080, 2_400_000, 1), Reason: "reached 38544/s"},
			{Objective: parse(t, "p99<1s"), Status: search.ByClient, Rate: 41_000, Above: 43_000, At: at("4.12ms", minute, 2_460_000, 0, 0.001), Over: at("1.412s", minute, 2_580_000, 2_000_000, 1), Reason: "this client reached only 41870/s against a TCP echo"},
			{Objective: parse(t, "p99.9<5ms"), Status: search.NotDecided, Rate: 20_000, Above: 38_000, At: at("1.3ms", 12*minute, 14_400_000, 30, 0.00095), Over: at("7.1ms", minute, 2_280_000, 9000, 0.006), Needs: 51 * minute},
			{Objective: parse(t, "p99.99<5ms"), Status: search.NotDecided},
			{Objective: parse(t, "p99<20ms"), Status: search.NotDecided, Needs: 45 * minute, SoFar: &search.SoFar{Rate: 3220, Above: 4000, At: at("12.3ms", minute, 193_200, 1364, 0.01), Over: at("46.1ms", minute, 16_000, 900, 0.08)}},
			{Objective: parse(t, "p99<30ms"), Status: search.NotDecided, Needs: 34 * minute, SoFar: &search.SoFar{Rate: 111, At: at("637.4µs", minute, 7250, 0, 0.01)}, Reason: "this machine disturbed 2 of 8 probes"},
			{Objective: parse(t, "p99<2ms"), Status: search.NotDecided, Reason: "of 20 probes at 4362/s 13 kept it, and 6 were overloads: the speed of the target varies"},
			{Objective: parse(t, "p99<8ms"), Status: search.Opposed, Rate: 8000, Above: 2000, At: at("6.1ms", minute, 480_000, 400, 0.001), Over: at("9.4ms", minute, 120_000, 3000, 0.02)},
			{Objective: parse(t, "p99<3ms"), Status: search.Hysteresis, Rate: 4000, Reason: "after an overload the target no longer carries 3200/s, which it carried before, also after a rest of 2m40s"},
		}},
		{Target: "a|b", Shape: plan.Shape{Rate: 1000, Size: 100, Connections: 1, InFlight: 1, Arrivals: "poisson"}, Took: minute, Hysteresis: 40 * time.Second, Probes: make([]search.Probe, 1), Rows: []search.Row{
			{Objective: parse(t, "loss<0.1%"), Status: search.AtMax, Rate: 50_000, At: &search.Evidence{Probes: 2, Window: minute, Measured: "0 %", Messages: 3_000_000, High: 0.000001}},
			{Objective: parse(t, "p99.9<1ms"), Status: search.NotKnown, Above: 1000, Over: at("3.4ms", minute, 60_000, 900, 0.03), Reason: "the tail is this machine's"},
			{Objective: parse(t, "p50<1µs"), Status: search.NotKept, Above: 1000, Over: at("81.2µs", minute, 60_000, 60_000, 1)},
			{Objective: parse(t, "max<1s"), Status: search.Unfinished, Rate: 2000, At: at("21ms", minute, 120_000, 0, 0)},
			{Objective: parse(t, "rate>99%"), Status: search.Found, Rate: 2000, Above: 2100, At: &search.Evidence{Probes: 2, Window: minute, Measured: "100 %"}, Over: &search.Evidence{Probes: 2, Window: minute, Measured: "96 %"}},
		}},
	}
}

func TestSearch(t *testing.T) {
	list := searches(t)
	run := results.Run{Command: []string{"brokerbench", "search", "nats://127.0.0.1:4222", "--slo", "p99<1ms", "--at-most", "30m"}}
	d := report.Search(run, nil, search.NewDocument(search.Config{}, list), false)
	wantGolden(t, "search", d)
	golden.Check(t, "search-details.txt", written(t, report.Search(results.Run{}, nil, search.NewDocument(search.Config{}, list), true), document.Text))
	list[0].Probes = []search.Probe{{
		Rate: 21_337, Window: 5 * time.Second, Confirm: true, Took: 8 * time.Second, CellID: "nats-21337-1024B-c25-fopen-r1",
		Answers: []search.Judgement{
			{Answer: search.Kept, Measured: "912.3µs", Over: 100, Of: 106_685},
			{Answer: search.Missed, Sure: true, Measured: "212.4ms", Reason: "reached 20000/s", Over: 106_685, Of: 106_685},
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
	text := written(t, report.Search(results.Run{Name: "found"}, nil, want, false), document.JSON)
	if err := json.Unmarshal([]byte(text), &got); err != nil || got.Run.Name != "found" || !reflect.DeepEqual(got.Search, want) {
		t.Errorf("%v: got %+v, want %+v", err, got, want)
	}
}

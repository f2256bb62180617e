package report_test

import (
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/measure/verify"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/report"
	"github.com/brokerbench/brokerbench/report/document"
	"github.com/brokerbench/brokerbench/results"
)

func TestVerify(t *testing.T) {
	ns := func(n int64) *int64 { return &n }
	check := verify.Check{
		Scenario: "a stall of 1 s", Mode: "one in flight", BaseNS: 61_000,
		Cell: &results.Cell{Plan: plan.Cell{
			Shape: plan.Shape{Rate: 50, InFlight: 1}, Settings: plan.Settings{Duration: 5 * time.Second},
		}, Service: results.Distribution{Count: 250, MaxNS: 1_000_200_000, Percentiles: []results.Percentile{
			{Percentile: 50, ValueNS: ns(10_117_000)},
			{Percentile: 99, ValueNS: ns(10_289_000)},
			{Percentile: 99.9, ValueNS: ns(1_000_200_000)},
			{Percentile: 100, ValueNS: ns(1_000_200_000)},
		}}},
		Rows: []verify.Row{
			{Name: "done", Unit: "ops", Expected: ns(250), Measured: ns(249), Checked: true},
			{Name: "p75", Unit: "ns", Expected: ns(387_378_000), Measured: ns(385_352_000), Tolerance: 3_874_000, Error: -0.0052, Checked: true, Within: true},
			{Name: "p99.99", Unit: "ns", Measured: nil, Checked: true, Within: true},
			{Name: "max", Unit: "ns", Expected: ns(1_000_000_000), Measured: ns(1_000_100_000)},
		},
	}
	d := report.Verify([]verify.Check{check})
	wantGolden(t, "verify", d)
	wantJSON(t, d, []verify.Check{check})

	// A delay of the machine may be to blame, and is part of the tolerance.
	check.LateNS, check.Cell.Hiccup = 3_000_000, &results.Distribution{}
	text := written(t, report.Verify([]verify.Check{check, check}), document.Text)
	for _, want := range []string{"the tolerance includes delays of the machine: 3.000 ms from p99.9 on", "kept a process from running for up to 3.000 ms"} {
		if !strings.Contains(strings.ReplaceAll(text, "\n  ", " "), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

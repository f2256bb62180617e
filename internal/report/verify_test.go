package report_test

import (
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/report"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/internal/verify"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

func TestVerify(t *testing.T) {
	ns := func(n int64) *int64 { return &n }
	check := verify.Check{
		Scenario: "a stall of 1 s", Mode: "one in flight", Answer: verify.Disagrees,
		StillNS: 3_000_000, HiccupNS: 4_100_000, ThereNS: 2_000_000, BackNS: 1_500_000,
		Cell: &results.Cell{Plan: plan.Cell{
			Shape: plan.Shape{Rate: 50, InFlight: 1}, Settings: plan.Settings{Duration: 5 * time.Second},
		}, Service: results.Distribution{Count: 250, MaxNS: 1_000_200_000, Percentiles: []results.Percentile{
			{Percentile: 50, ValueNS: ns(10_117_000)},
			{Percentile: 99, ValueNS: ns(10_289_000)},
			{Percentile: 99.9, ValueNS: ns(1_000_200_000)},
			{Percentile: 100, ValueNS: ns(1_000_200_000)},
		}}, Hiccup: &results.Distribution{}},
		Rows: []verify.Row{
			{Name: "done", Unit: "ops", Ideal: ns(250), From: ns(250), To: ns(250), Measured: ns(249), Where: "too little by 1"},
			{Name: "p75", Unit: "ns", Ideal: ns(387_378_000), From: ns(385_300_000), To: ns(385_400_000), Measured: ns(385_352_000), Agrees: true},
			{Name: "p99.99", Unit: "ns", Agrees: true},
			{Name: "lag max", Unit: "ns", From: ns(0), To: ns(1_000_000), Measured: ns(100_000), Agrees: true},
		},
	}
	d := report.Verify([]verify.Check{check})
	wantGolden(t, "verify", d)
	wantJSON(t, d, []verify.Check{check})

	check.Answer, check.Attempts, check.Reason, check.Rows = verify.Inconclusive, 3, "the system stood still for 300ms", nil
	text := written(t, report.Verify([]verify.Check{check}), document.Text)
	for _, want := range []string{"one in flight, 50/s for 5s: inconclusive", "inconclusive, measured 3 times: the system stood still for 300ms"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

package report_test

import (
	"testing"

	"github.com/brokerbench/brokerbench/internal/report"
	"github.com/brokerbench/brokerbench/results"
)

func TestLimitation(t *testing.T) {
	for want, limits := range map[string][]results.Limit{
		"":                                     nil,
		"by this machine from p99 up: busy":    {{Series: "response", Percentiles: []float64{99, 99.9, 100}}},
		"by this machine at p50 to p90: busy":  {{Series: "response", Percentiles: []float64{50, 75, 90}}},
		"by this machine at max: busy":         {{Series: "response", Percentiles: []float64{100}}},
		"by this machine at service p99: busy": {{Series: "service", Percentiles: []float64{99}}},
	} {
		if got := report.Limitation(results.Problem{Code: results.CodeSteal, Text: "busy", Limits: limits}); got != want {
			t.Errorf("%v: %q, want %q", limits, got, want)
		}
	}
}

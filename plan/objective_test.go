package plan_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/plan"
)

func TestParseObjective(t *testing.T) {
	for text, want := range map[string]plan.Objective{
		"p99.9<5ms":           {Series: "response", Percentile: 99.9, Operator: "<", Limit: 5e6},
		"p(95) <= 500ms":      {Series: "response", Percentile: 95, Operator: "<=", Limit: 5e8},
		" max<1s ":            {Series: "response", Percentile: 100, Operator: "<", Limit: 1e9},
		"lag.p99<1ms":         {Series: "lag", Percentile: 99, Operator: "<", Limit: 1e6},
		"p99  <  5 ms":        {Series: "response", Percentile: 99, Operator: "<", Limit: 5e6},
		"p99\u00a0≤ 1\u202fs": {Series: "response", Percentile: 99, Operator: "<=", Limit: 1e9},
		"loss < 0.5 %":        {Metric: "loss", Operator: "<", Limit: 0.005},
		"rate ≥ 3000 /s":      {Metric: "rate", Operator: ">=", Limit: 3000, PerSecond: true},
		"held.p99<1ms":        {Series: "held", Percentile: 99, Operator: "<", Limit: 1e6},
		"service.max>0s":      {Series: "service", Percentile: 100, Operator: ">"},
		"loss<0.5%":           {Metric: "loss", Operator: "<", Limit: 0.005},
		"rate>99%":            {Metric: "rate", Operator: ">", Limit: 0.99},
		"rate>=3000/s":        {Metric: "rate", Operator: ">=", Limit: 3000, PerSecond: true},
	} {
		got, err := plan.ParseObjective(text)
		if err != nil || got != want {
			t.Errorf("%q: %+v, %v; want %+v", text, got, err, want)
		}
	}
}

func TestParseObjectiveRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                  "want a metric",
		"p99":               "want a metric",
		"p99=5ms":           "want a metric",
		"p9 9<5ms":          "want a metric",
		"p99<5 0ms":         "a time with its unit",
		"p99<5 m s":         "a time with its unit",
		"p98<5ms":           "want a percentile of [50",
		"p99<5":             "a time with its unit",
		"p99<-5ms":          "a time with its unit",
		"loss<5":            "a percentage",
		"loss<5/s":          "a percentage",
		"loss<-1%":          "a percentage",
		"loss<NaN%":         "a percentage",
		"rate>3000":         "messages per second, such as 3000/s",
		"lag.loss<1%":       `leave out "lag."`,
		"throughput>3000/s": "want a metric",
	} {
		o, err := plan.ParseObjective(text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %+v, %v; want %q", text, o, err, want)
		}
	}
}

func FuzzParseObjective(f *testing.F) {
	for _, text := range []string{"p99.9<5ms", "p(50)>=1h2m3s", "max<1ns", "loss<0.001%", "rate>99%", "rate>=3000.5/s", "service.p90>1us"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		o, err := plan.ParseObjective(text)
		if err != nil {
			return
		}
		again, err := plan.ParseObjective(o.String())
		if err != nil || again.String() != o.String() {
			t.Errorf("%q became %q, which became %q, %v", text, o, again, err)
		}
	})
}

func ExampleObjective_Holds() {
	o, err := plan.ParseObjective("p99.9<5ms")
	fmt.Println(o, err, o.Holds(4.9e6), o.Holds(5e6))
	// Output: p99.9<5ms <nil> true false
}

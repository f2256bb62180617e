package compare_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/internal/compare"
	"github.com/brokerbench/brokerbench/plan"
)

func TestParseCondition(t *testing.T) {
	for _, c := range []struct {
		text string
		want compare.Condition
	}{
		{"p99>10%", compare.Condition{Percentile: 99, Limit: 10}},
		{" p99.9 >= 2.5 %", compare.Condition{Percentile: 99.9, OrEqual: true, Limit: 2.5}},
		{"p50>0%", compare.Condition{Percentile: 50}},
		{"max>100%", compare.Condition{Percentile: 100, Limit: 100}},
		{"loss>0.1%", compare.Condition{Metric: compare.OfLoss, Limit: 0.1}},
		{"pauses >= 50%", compare.Condition{Metric: compare.OfPauses, OrEqual: true, Limit: 50}},
		{"pauses > 0.5 /min", compare.Condition{Metric: compare.OfPauses, Limit: 0.5, PerMinute: true}},
		{"p99.999>1000000%", compare.Condition{Percentile: 99.999, Limit: 1e6}},
	} {
		if got, err := compare.ParseCondition(c.text); err != nil || got != c.want {
			t.Errorf("%q: %+v, %v; want %+v", c.text, got, err, c.want)
		}
	}
}

func TestParseConditionMistakes(t *testing.T) {
	for text, says := range map[string]string{
		"":             "want a percentile, loss or pauses, > or >=",
		"p99<10%":      "want a percentile, loss or pauses, > or >=",
		"p98>10%":      `"p98" is none of p50, p75,`,
		"mean>10%":     ", max, loss, pauses",
		"p100>10%":     `"p100" is none of`,
		"p99>10":       `"10" is not a percentage`,
		"p99>-1%":      "is not a percentage",
		"p99>%":        "is not a percentage",
		"p99>1e3%":     "is not a percentage",
		"p99>NaN%":     "is not a percentage",
		"p99>0x1p4%":   "is not a percentage",
		"p99>1.1.1%":   "is not a percentage",
		"p99>1000001%": "is not a percentage",
		"p99>>10%":     "is not a percentage",
		"p99>1/min":    "is not a percentage",
		"loss>1/min":   "is not a percentage",
		"pauses>1":     "neither a percentage, such as 50%, nor a rate, such as 2/min",
		"pauses>1/s":   "neither a percentage",
	} {
		got, err := compare.ParseCondition(text)
		if err == nil || !strings.Contains(err.Error(), says) || got != (compare.Condition{}) {
			t.Errorf("%q: %+v, %v; want an error that says %q", text, got, err, says)
		}
	}
}

// FuzzParseCondition wants that what is read is written so that it is read again.
func FuzzParseCondition(f *testing.F) {
	for _, text := range []string{"p99>10%", "max >= 0.5%", "p99.9>=1.%", "p50>.5%", "loss>1%", "pauses>1/min", "pauses>=0%", "p99>1e3%", "p99>=%", ">", "p99>00010.00%"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := compare.ParseCondition(text)
		if err != nil {
			return
		}
		if known := append([]float64{0}, append(plan.KnownPercentiles(), 100)...); !strings.Contains(fmt.Sprint(known), fmt.Sprint(c.Percentile)) {
			t.Errorf("%q: percentile %v", text, c.Percentile)
		}
		if !(c.Limit >= 0 && c.Limit <= 1e6) {
			t.Errorf("%q: %v %%", text, c.Limit)
		}
		if again, err := compare.ParseCondition(c.String()); err != nil || again != c {
			t.Errorf("%q is %+v, written %q, read again %+v, %v", text, c, c, again, err)
		}
	})
}

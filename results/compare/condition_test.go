package compare_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
	"github.com/brokerbench/brokerbench/results/compare"
)

func TestParseCondition(t *testing.T) {
	for _, c := range []struct {
		text string
		want compare.Condition
	}{
		{"p99>10%", compare.Condition{Percentile: 99, Percent: 10}},
		{" p99.9 >= 2.5 %", compare.Condition{Percentile: 99.9, OrEqual: true, Percent: 2.5}},
		{"p50>0%", compare.Condition{Percentile: 50}},
		{"max>100%", compare.Condition{Percentile: 100, Percent: 100}},
		{"p99.999>1000000%", compare.Condition{Percentile: 99.999, Percent: 1e6}},
	} {
		if got, err := compare.ParseCondition(c.text); err != nil || got != c.want {
			t.Errorf("%q: %+v, %v; want %+v", c.text, got, err, c.want)
		}
	}
}

func TestParseConditionMistakes(t *testing.T) {
	for text, says := range map[string]string{
		"":             "want a percentile, > or >=",
		"p99<10%":      "want a percentile, > or >=",
		"p98>10%":      `"p98" is none of p50, p75,`,
		"mean>10%":     ", max",
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
	} {
		got, err := compare.ParseCondition(text)
		if err == nil || !strings.Contains(err.Error(), says) || got != (compare.Condition{}) {
			t.Errorf("%q: %+v, %v; want an error that says %q", text, got, err, says)
		}
	}
}

// FuzzParseCondition wants that what is read is written so that it is read again.
func FuzzParseCondition(f *testing.F) {
	for _, text := range []string{"p99>10%", "max >= 0.5%", "p99.9>=1.%", "p50>.5%", "p99>1e3%", "p99>=%", ">", "p99>00010.00%"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := compare.ParseCondition(text)
		if err != nil {
			return
		}
		if known := append(plan.KnownPercentiles(), 100); !strings.Contains(fmt.Sprint(known), fmt.Sprint(c.Percentile)) {
			t.Errorf("%q: percentile %v", text, c.Percentile)
		}
		if !(c.Percent >= 0 && c.Percent <= 1e6) {
			t.Errorf("%q: %v %%", text, c.Percent)
		}
		if again, err := compare.ParseCondition(c.String()); err != nil || again != c {
			t.Errorf("%q is %+v, written %q, read again %+v, %v", text, c, c, again, err)
		}
	})
}

func TestConditions(t *testing.T) {
	slower, same, bad := joined(three(1.5)), joined(three(1)), joined(three(1.5, judged(results.Invalid)))
	wide := set(made(1, 0.7), made(2, 1), made(3, 1.6))
	id := "[nats-1000-1024B-c1-fopen]"
	for _, c := range []struct {
		name, condition              string
		next                         *compare.Set
		failed, unknown, notExcluded string
	}{
		{name: "slower by more", condition: "p99>10%", next: slower, failed: id},
		{name: "slower by less: up to the interval's end", condition: "p99>60%", next: slower},
		{name: "slower, the threshold inside the interval", condition: "p99>50.5%", next: slower, notExcluded: id},
		{name: "faster", condition: "p99>0%", next: joined(three(0.5))},
		{name: "the same", condition: "p99>10%", next: same},
		{name: "the same to within the threshold", condition: "p99>1%", next: same, notExcluded: id},
		{name: "nothing is shown", condition: "p99>10%", next: wide, notExcluded: id},
		{name: "INVALID", condition: "p99>10%", next: bad, unknown: id},
		{name: "a percentile that is not shown otherwise", condition: "p95>10%", next: slower, failed: id},
		{name: "too few messages above it", condition: "p99.999>10%", next: slower, unknown: id},
		{name: "maximum", condition: "max>40%", next: slower, failed: id},
		{name: "maximum by less", condition: "max>60%", next: slower},
		{name: "maximum of all runs, but not of every run", condition: "max>10%", next: wide},
		{name: "maximum of too few runs", condition: "max>40%", next: set(slower.Trials[:2]...), unknown: id},
		{name: "maximum of too few runs, not exceeded", condition: "max>60%", next: set(slower.Trials[:2]...)},
	} {
		o := compared(t, same, c.next, compare.Options{FailOn: []compare.Condition{condition(t, c.condition)}}).FailOn[0]
		for _, part := range []struct {
			name, want string
			got        []string
		}{{"failed", c.failed, o.Failed}, {"inconclusive", c.unknown, o.Inconclusive}, {"not excluded", c.notExcluded, o.NotExcluded}} {
			if got := fmt.Sprint(part.got); got != part.want && (part.want != "" || part.got != nil) {
				t.Errorf("%s: %s: %s %s, want %s", c.name, c.condition, part.name, got, part.want)
			}
		}
	}
}

// A cell that is gone from NEW cannot pass.
func TestConditionOfACellThatIsGone(t *testing.T) {
	base, next := joined(three(1, rate(10)), three(1, rate(20))), joined(three(1, rate(10)), three(1, rate(30)), three(1, rate(40)))
	c := compared(t, base, next, compare.Options{FailOn: []compare.Condition{condition(t, "p50>10%")}})
	if got := fmt.Sprint(c.FailOn[0].Inconclusive); got != "[nats-20-1024B-c1-fopen]" {
		t.Errorf("inconclusive %s, of %v", got, c.Unpaired)
	}
}

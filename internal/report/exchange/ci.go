package exchange

import (
	"strings"

	"github.com/brokerbench/brokerbench/internal/answer"
	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/internal/report/format"
	"github.com/brokerbench/brokerbench/results"
)

// A measure is a value of the Bencher Metric Format, which has no room for text.
type measure struct {
	Value float64  `json:"value"`
	Lower *float64 `json:"lower_value,omitempty"`
	Upper *float64 `json:"upper_value,omitempty"`
}

// bmf returns the measures of each target under each load: times in nanoseconds, as Bencher's own measure
// latency. Beside a number that is limited, or absent, stands a measure with the value 1.
func bmf(a *answer.Answer) map[string]map[string]measure {
	list := make(map[string]map[string]measure)
	for _, l := range all(a) {
		measures := map[string]measure{
			"messages-missing": {Value: float64(l.Ledger.Missing())},
			"verdict-invalid":  {Value: one(l.Verdict == results.Invalid)},
		}
		for _, n := range l.Response {
			name := "latency-" + strings.ReplaceAll(words.Percentile(n.Percentile), ".", "-")
			if n.NS == nil {
				measures[name+"-unknown"] = measure{Value: 1}
				continue
			}
			measures[name] = measure{float64(*n.NS), float(n.LowNS), float(n.HighNS)}
			if !n.Usable || n.AtLeast {
				measures[name+"-limited"] = measure{Value: 1}
			}
		}
		list[l.title()] = measures
	}
	return list
}

func one(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

func float(ns *int64) *float64 {
	if ns == nil {
		return nil
	}
	return new(float64(*ns))
}

// A bench is an entry of github-action-benchmark.
type bench struct {
	Name  string  `json:"name"`
	Unit  string  `json:"unit"`
	Value float64 `json:"value"`
	Range string  `json:"range,omitempty"`
	Extra string  `json:"extra,omitempty"`
}

// actionBenchmark returns an entry for each number, of which smaller is better, and one for the missing
// messages, which says why numbers are absent.
func actionBenchmark(a *answer.Answer) []bench {
	list := []bench{} // [], not null
	for _, l := range all(a) {
		var absent []string
		for _, n := range l.Response {
			name, notes := words.Percentile(n.Percentile), []string{}
			if n.NS == nil {
				absent = append(absent, name+" "+mark(n))
				continue
			}
			if note := mark(n); note != "" {
				notes = append(notes, note)
			}
			if l.Verdict != results.Valid {
				notes = append(notes, "verdict "+format.Verdict(l.Verdict))
			}
			one := bench{Name: l.title() + ": " + name, Unit: "ms", Value: float64(*n.NS) / 1e6, Extra: strings.Join(notes, "\n")}
			if n.LowNS != nil {
				one.Range = format.Interval(n.LowNS, n.HighNS)
			}
			list = append(list, one)
		}
		list = append(list, bench{Name: l.title() + ": missing", Unit: "messages", Value: float64(l.Ledger.Missing()), Extra: strings.Join(absent, "\n")})
	}
	return list
}

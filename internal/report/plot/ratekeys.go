package plot

import (
	"fmt"

	"github.com/brokerbench/brokerbench/internal/report/input"
	"github.com/brokerbench/brokerbench/results"
)

// judgedOf returns the verdict of each rung.
func judgedOf(ladders []input.Ladder) (list []input.Subject) {
	for _, l := range ladders {
		for _, r := range l.Rungs {
			list = append(list, input.Subject{Name: fmt.Sprintf("%s at %v", l.Name, r.Rate), Target: l.Target, Verdict: r.Verdict})
		}
	}
	return list
}

// rateKeys explains the signs that are drawn, and no others.
func rateKeys(ladders []input.Ladder) (keys []entry) {
	var few, invalid, unknown, bars, ranges bool
	for _, l := range ladders {
		for _, r := range l.Rungs {
			for _, p := range ratePercentiles() {
				_, known := rungPoint(r, p)
				_, _, bounded := r.Bounds(p)
				unknown = unknown || !known
				bars, ranges = bars || bounded && len(r.Cells) == 1, ranges || bounded && len(r.Cells) > 1
				invalid = invalid || known && r.Verdict == results.Invalid
				few = few || known && rungShape(r, p) == hollow
			}
		}
	}
	explain(&keys, bars, entry{text: "vertical bars: 95 % confidence"})
	explain(&keys, ranges, entry{text: "repeats: all messages together, with bars from the lowest to the highest, and a band of p99"})
	explain(&keys, few, entry{text: "of limited use", dot: hollow})
	explain(&keys, invalid, entry{text: "the cell is INVALID", dot: cross})
	explain(&keys, unknown, entry{text: "no dot: unknown, messages are missing"})
	return keys
}

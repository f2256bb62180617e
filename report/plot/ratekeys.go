package plot

import (
	"fmt"

	"github.com/brokerbench/brokerbench/results"
)

// judgedOf returns the verdict of each rung.
func judgedOf(ladders []Ladder) (list []judged) {
	for _, l := range ladders {
		for _, r := range l.Rungs {
			list = append(list, judged{fmt.Sprintf("%s at %v", l.Name, r.Rate), r.Verdict})
		}
	}
	return list
}

// rateKeys explains the signs that are drawn, and no others.
func rateKeys(ladders []Ladder) (keys []entry) {
	var few, invalid, unknown, bars, ranges bool
	for _, l := range ladders {
		for _, r := range l.Rungs {
			for _, p := range ratePercentiles() {
				_, known := r.point(p)
				_, _, bounded := r.bounds(p)
				unknown = unknown || !known
				bars, ranges = bars || bounded && len(r.Cells) == 1, ranges || bounded && len(r.Cells) > 1
				invalid = invalid || known && r.Verdict == results.Invalid
				few = few || known && r.shape(p) == hollow
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

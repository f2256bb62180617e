package plot

import (
	"fmt"
	"slices"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/report/input"
)

// timeKeys explains how far the lines can be trusted.
func timeKeys(all []input.Series, k inks) (keys []entry) {
	few, bare, n := 0, 0, 0
	for _, s := range all {
		n += len(s.Spans)
		for _, span := range s.Spans {
			switch {
			case span.Count < histogram.MinAbove:
				bare++
			case span.Above < histogram.MinAbove:
				few++
			}
		}
	}
	remark := func(used bool, text string, values ...any) {
		explain(&keys, used, entry{text: fmt.Sprintf(text, values...)})
	}
	keys = append(keys, eventKeys(all, k)...)
	remark(few > 0, "p99 of %d of %d intervals: fewer than %d samples above", few, n, histogram.MinAbove)
	remark(bare > 0, "%d with fewer than %d samples: their maximum only", bare, histogram.MinAbove)
	remark(slices.ContainsFunc(all, func(s input.Series) bool { return s.Cut }), "the log's last line is incomplete and left out")
	return append(keys, verdictKeys("timeline", all)...)
}

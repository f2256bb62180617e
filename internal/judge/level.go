package judge

import (
	"math"
	"slices"

	"github.com/brokerbench/brokerbench/internal/stats"
)

// level returns the blocks, from one until before another, that are on another level than those
// around them, and the ratio of the two; by is 0 if there is no such level. Of several it returns
// the one with the widest gap for the spread on its sides.
func level(values []float64) (from, to int, by float64) {
	logs, most := logs(values), levelGap*math.Exp2(float64(max(0, enoughBlocks-len(values))))
	for i := range logs {
		for j := i + leastLevel; j <= len(logs); j++ {
			in, out := logs[i:j], slices.Concat(logs[:max(i-1, 0)], logs[min(j+1, len(logs)):])
			if len(out) < leastLevel {
				continue
			}
			if gap := apart(in, out); gap > most {
				from, to, by, most = i, j, math.Exp(stats.Median(in)-stats.Median(out)), gap
			}
		}
	}
	return from, to, by
}

// apart returns the gap between two groups of logarithms over the larger spread of the two; 0 if
// they overlap, or are apart by less than steadyChange.
func apart(a, b []float64) float64 {
	gap := max(slices.Min(a)-slices.Max(b), slices.Min(b)-slices.Max(a))
	if gap < math.Log(steadyChange) {
		return 0
	}
	return gap / max(slices.Max(a)-slices.Min(a), slices.Max(b)-slices.Min(b), 1e-9)
}

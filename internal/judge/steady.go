package judge

import (
	"math"
	"slices"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/record"
	"github.com/brokerbench/brokerbench/internal/stats"
	"github.com/brokerbench/brokerbench/results"
)

// The window is cut into blocks of seconds, and each has the median of what its seconds
// say: a pause that hits fewer than half of a block's seconds does not move it.
const (
	mostBlocks  = 12
	leastBlocks = 6 // of a second, so a shorter window is not judged

	// Response times drift by chance, too, and slowly where the load is near the capacity. So
	// the steps from block to block are compared with their own spread, as those of a random
	// walk: a trend is one if Student's t of their mean is exceeded by chance in less than this share,
	// and if it changes response times by steadyChange at least.
	trendChance  = 0.01
	steadyChange = 1.2
	// A queue diverges if even its shortest waits grow like that, by this much a second at least
	// (that of a rate 0.05 % above the capacity), and no less in the second half of the window
	// than a quarter of the whole: else it settles. It may do so if chance orders so many blocks
	// like that in less than queueChance, but a random walk explains it.
	leastGrowth  = 0.0005
	anyChance    = 0.005 // of a single connection: that any of all grows like that by chance
	queueChance  = 0.005
	secondHalf   = 0.25
	waitQuantile = 10 // the percentile that stands for the shortest waits
	// Response times changed for a while if those of some neighbouring blocks are all above, or
	// all below, the others, and the gap between the two is so many times the spread on either
	// side; twice that for each block fewer than enoughBlocks, because the spread of a few blocks is
	// small by chance. On each border one block may be half of both.
	leastLevel   = 2 // blocks
	levelGap     = 4.0
	enoughBlocks = 9
	// The window began too early if so many of mostBlocks are all above every other, by
	// steadyChange. In random order they are above every other in 1.5 % of all cases,
	// whatever their distribution is.
	coldBlocks = 2
)

// A trend collects what response times were in each second of a window. When it has many
// seconds, neighbours become one: the memory does not grow with the window.
type trend struct {
	medians, waits []float64 // in seconds; 0: there were no replies
	span           int       // how many seconds make one; 0 means 1
	last           int       // how many the last has
}

const mostSeconds = 600

func (t *trend) add(h *histogram.Histogram) {
	p50, wait := h.Quantile(50).Seconds(), h.Quantile(waitQuantile).Seconds()
	t.span = max(t.span, 1)
	if n := len(t.medians); n > 0 && t.last < t.span {
		t.medians[n-1], t.waits[n-1] = standIn(t.medians[n-1], p50), standIn(t.waits[n-1], wait)
		t.last++
		return
	}
	if len(t.medians) == mostSeconds {
		t.halve()
	}
	t.medians, t.waits, t.last = append(t.medians, p50), append(t.waits, wait), 1
}

func (t *trend) halve() {
	for i := range mostSeconds / 2 {
		t.medians[i], t.waits[i] = standIn(t.medians[2*i], t.medians[2*i+1]), standIn(t.waits[2*i], t.waits[2*i+1])
	}
	t.medians, t.waits, t.span = t.medians[:mostSeconds/2], t.waits[:mostSeconds/2], 2*t.span
}

// standIn returns one value for two neighbours; 0 is unknown.
func standIn(a, b float64) float64 {
	if a == 0 || b == 0 {
		return a + b
	}
	return (a + b) / 2
}

// steady says how response times moved over the window, at a rate that was due; nil if
// it is too short to tell, or has no replies for too long.
func (t *trend) steady(offered float64) *results.Steady {
	medians, waits := blocks(t.medians), blocks(t.waits)
	if len(medians) < leastBlocks {
		return nil
	}
	perBlock := float64(len(t.medians)*t.span) * record.Period.Seconds() / float64(len(medians))
	if growth := growthPer(perBlock, waits); len(waits) == len(medians) && grows(waits, growth) { // a wait of 0 is not known
		return &results.Steady{
			P50Change: change(medians), GrowsNSPer: math.Round(growth * 1e9), Undecided: !beyondChance(waits, trendChance),
			// In a second of replies so much less than a second of messages was done.
			CapacityPS: offered * (1 - min(growth, 1)),
		}
	}
	var steady results.Steady
	if cold, warm := medians[:coldBlocks], medians[coldBlocks:]; slowAtFirst(medians) && !moves(warm) {
		steady.ColdNS = int64(coldBlocks * perBlock * 1e9)
		steady.ColdP50NS, steady.WarmP50NS = int64(1e9*stats.Median(cold)), int64(1e9*stats.Median(warm))
		medians = warm
	}
	steady.P50Change = change(medians)
	steady.Sure = moves(medians)
	if from, to, by := level(medians); by != 0 && steady.ColdNS == 0 && !slices.Contains(t.medians, 0) { // else blocks differ in length
		steady.Level = &results.Level{FromNS: int64(1e9 * perBlock * float64(from)), ToNS: int64(1e9 * perBlock * float64(to)), P50Change: by}
	}
	return &steady
}

// growthPer returns the growth of the blocks' values in a second; 0 for fewer than two.
func growthPer(perBlock float64, values []float64) float64 {
	if len(values) < 2 {
		return 0
	}
	return stats.TheilSen(values) / perBlock
}

// blocks returns the medians of equal blocks of the values that are known; 0 is unknown.
func blocks(values []float64) (list []float64) {
	known := slices.DeleteFunc(slices.Clone(values), func(v float64) bool { return v == 0 })
	n := min(mostBlocks, len(known))
	for i := range n {
		list = append(list, stats.Median(known[i*len(known)/n:(i+1)*len(known)/n]))
	}
	return list
}

// beyondChance tells whether values rise or fall more than a random walk, whose steps spread as
// theirs, does with a probability of chance.
func beyondChance(values []float64, chance float64) bool {
	steps := make([]float64, len(values)-1)
	for i := range steps {
		steps[i] = values[i+1] - values[i]
	}
	mean, variance := stats.Moments(steps)
	n := float64(len(steps))
	return math.Abs(mean)*math.Sqrt(n) >= stats.StudentQuantile(1-2*chance, n-1)*math.Sqrt(variance) && mean != 0
}

// moves tells whether values have a trend that is large enough to matter.
func moves(values []float64) bool {
	by := change(values)
	return beyondChance(logs(values), trendChance) && (by >= steadyChange || by <= 1/steadyChange)
}

// change returns the end of the fitted trend over its beginning, of times above 0.
func change(values []float64) float64 {
	return math.Exp(stats.TheilSen(logs(values)) * float64(len(values)))
}

func logs(values []float64) []float64 {
	logs := make([]float64, len(values))
	for i, v := range values {
		logs[i] = math.Log(v)
	}
	return logs
}

// grows tells whether the shortest waits of the blocks, which grow by that much a second, look
// like those of a queue that never empties.
func grows(waits []float64, growth float64) bool {
	return lasts(waits, growth) &&
		(beyondChance(waits, trendChance) || stats.KendallP(stats.KendallS(waits), len(waits)) < queueChance)
}

// lasts tells whether growth matters, and goes on in the second half.
func lasts(waits []float64, growth float64) bool {
	begin, middle, end := waits[0], waits[len(waits)/2], waits[len(waits)-1]
	return growth >= leastGrowth && end-middle >= secondHalf*(end-begin)
}

// slowAtFirst tells whether the first blocks of a whole window are above all others.
func slowAtFirst(values []float64) bool {
	if len(values) < mostBlocks {
		return false
	}
	return slices.Min(values[:coldBlocks]) >= steadyChange*slices.Max(values[coldBlocks:])
}

package history

import (
	"math"
	"math/rand/v2"
	"slices"
)

// enough is how many series that do not change, and look as changed, are enough to
// know that this is common (Besag & Clifford, Sequential Monte Carlo p-values,
// Biometrika 78, 1991).
const enough = 10

// A chance draws series. Most is how many there are at most: the least p is 1 in so
// many.
type chance struct {
	*rand.Rand
	most int
}

// leastDraws is for a few series. Of more, each needs a smaller p to be an alarm.
const leastDraws = 999

// newChance returns what draws for a history of so many series. Its seed is fixed: the
// same runs always give the same answer.
func newChance(series int) chance {
	return chance{rand.New(rand.NewPCG(1, 0)), max(leastDraws, 60*series)} //nolint:gosec // not a secret
}

// significance returns where a statistic is largest, and how often it is as large in
// series like this one that do not change.
func significance(scores []float64, of statistic, draw chance) (cuts []int, p float64) {
	cuts, most := of(scores)
	spread := squares(scores)
	if spread == 0 || cuts == nil {
		return cuts, 1
	}
	unchanged := newNull(scores, cuts)
	above := 0
	for n := 1; n <= draw.most; n++ {
		drawn := unchanged.next(draw.Rand)
		if _, d := of(drawn); d/squares(drawn) >= most/spread*(1-1e-9) {
			above++
		}
		if above == enough {
			return cuts, float64(above) / float64(n)
		}
	}
	return cuts, float64(above+1) / float64(draw.most+1)
}

// squares returns the sum of the squared differences to the mean.
func squares(scores []float64) (sum float64) {
	mean := 0.0
	for _, v := range scores {
		mean += v / float64(len(scores))
	}
	for _, v := range scores {
		sum += (v - mean) * (v - mean)
	}
	return sum
}

// A null draws series that vary as the given one does within its parts, and do not
// change. If runs do not remember those before them, it shuffles the series. Else runs
// are an autoregressive process of order 1, and it shuffles what is new in each.
type null struct {
	scores, rest []float64 // rest is what the levels of the parts leave
	cuts         []int
	memory       float64 // the correlation of neighbours, estimated
	doubt        float64 // its standard error

	fresh, series []float64 // of the draw under way
}

// The estimate of a memory from few values whose mean is not known is too low, by
// about (1 + 4·memory)/n (Kendall, Note on bias in the estimation of autocorrelation,
// Biometrika 41, 1954), and by more if there are two levels, chosen so that they fit.
const (
	biasOfNone   = 2
	biasOfMemory = 4
)

func newNull(scores []float64, cuts []int) *null {
	n := float64(len(scores))
	u := &null{scores: scores, rest: rest(scores, cuts), cuts: cuts, fresh: make([]float64, len(scores)), series: make([]float64, len(scores))}
	products, own := 0.0, 0.0
	for i, v := range u.rest {
		own += v * v
		if !u.begins(i) {
			products += v * u.rest[i-1]
		}
	}
	if own > 0 {
		u.memory = (products/own + biasOfNone/n) / (1 - biasOfMemory/n)
	}
	u.doubt = math.Sqrt(max(0.1, 1-u.memory*u.memory)/n) / (1 - biasOfMemory/n)
	return u
}

// begins reports whether a part begins with value i.
func (u *null) begins(i int) bool { return i == 0 || slices.Contains(u.cuts, i) }

// rest returns the scores less the level of their part. Of three parts the last has
// the level of the first.
func rest(scores []float64, cuts []int) []float64 {
	var sum, count, level [2]float64
	part := func(i int) int {
		n := 0
		for _, c := range cuts {
			if i >= c {
				n++
			}
		}
		return n % 2
	}
	for i, v := range scores {
		sum[part(i)] += v
		count[part(i)]++
	}
	for i := range level {
		level[i] = sum[i] / count[i]
	}
	left := slices.Clone(scores)
	for i := range left {
		left[i] -= level[part(i)]
	}
	return left
}

// most is the longest memory that is believed in.
const mostMemory = 0.95

// next draws a series, which is overwritten by the next draw. The memory is not known
// exactly: each draw has another one.
func (u *null) next(draw *rand.Rand) []float64 {
	memory := min(max(u.memory+u.doubt*draw.NormFloat64(), 0), mostMemory)
	own := math.Sqrt(1 - memory*memory)
	if memory == 0 {
		copy(u.fresh, u.scores)
	} else {
		for i, v := range u.rest {
			if u.begins(i) {
				u.fresh[i] = v * own
			} else {
				u.fresh[i] = v - memory*u.rest[i-1]
			}
		}
	}
	draw.Shuffle(len(u.fresh), func(i, j int) { u.fresh[i], u.fresh[j] = u.fresh[j], u.fresh[i] })
	if memory == 0 {
		return u.fresh
	}
	last := u.fresh[0] / own
	for i, v := range u.fresh {
		if i > 0 {
			last = memory*last + v
		}
		u.series[i] = last
	}
	return normalScores(u.series)
}

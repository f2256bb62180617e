package history

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/brokerbench/brokerbench/internal/stats"
)

// enough is the number of null series that look as changed after which drawing stops
// (Besag & Clifford, Sequential Monte Carlo p-values, Biometrika 78, 1991).
const enough = 10

// A chance draws null series. Most is the largest number of them: the least p is about
// 1/most.
type chance struct {
	*rand.Rand
	most int
}

// leastDraws is for a few series. With more, each needs a smaller p to be an alarm.
const leastDraws = 999

// newChance returns a chance for a history of so many series. Its seed is fixed: the same
// runs always give the same answer.
func newChance(series int) chance {
	return chance{rand.New(rand.NewPCG(1, 0)), max(leastDraws, 60*series)} //nolint:gosec // not a secret
}

// significance returns the cuts at which a statistic is largest, and its p-value: how
// often it is as large in null series.
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
	mean, _ := stats.Moments(scores)
	for _, v := range scores {
		sum += (v - mean) * (v - mean)
	}
	return sum
}

// A null draws null series: they vary as the given one does within its parts, and do not
// change. If runs are independent it shuffles the series. Otherwise they are an
// autoregressive process of order 1, and it shuffles the innovations.
type null struct {
	scores, rest []float64 // rest holds the residuals: scores less the level of their part
	cuts         []int
	memory       float64 // the correlation of neighbours, estimated
	doubt        float64 // its standard error

	fresh, series []float64 // of the draw under way
}

// The estimate of a correlation from few values with an unknown mean is too low by about
// (1 + 4·correlation)/n (Kendall, Note on bias in the estimation of autocorrelation,
// Biometrika 41, 1954), and by more if two levels were fitted to the values.
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

// mostMemory bounds the estimate of the correlation.
const mostMemory = 0.95

// next draws a series, which the next draw overwrites. The correlation is not known
// exactly, so each draw uses another one.
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
	return stats.NormalScores(u.series)
}

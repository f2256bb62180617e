package stats

import (
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/floats"

	"github.com/brokerbench/brokerbench/histogram"
)

// LogRatios are the natural logarithms of the ratios second/first of pairs: two things
// that were measured shortly after each other, again and again. Whatever makes a machine
// slow for minutes slows both of a pair and cancels out of their ratio. Noise
// multiplies, so the logarithms are the sample, and their mean has Student's interval,
// widened by the width of a histogram's bucket: smaller differences were never measured.
//
// A pair in which one side stalled says much about stalls and little about the rest. So
// the mean is trimmed: of eight pairs or more the highest ratio and the lowest are set
// aside, of 16 two each, and so on. Its error is that of the winsorized sample (Tukey &
// McLaughlin, Less vulnerable confidence and significance procedures for location based
// on a single sample: trimming/Winsorization 1, Sankhyā A 25, 1963).
type LogRatios []float64

// LogRatiosOf returns those of two sides of the same length, whose i-th values are a
// pair. All values are above 0.
func LogRatiosOf(first, second []float64) LogRatios {
	s := make(LogRatios, len(first))
	for i := range first {
		s[i] = math.Log(second[i] / first[i])
	}
	return s
}

// pairsPerTrim is the number of pairs for each one that is set aside at either end.
const pairsPerTrim = 8

// trimmed returns how many of so many pairs are set aside at either end.
func trimmed(pairs int) int { return pairs / pairsPerTrim }

// Kept returns the indices of the pairs that are not set aside, in ascending order.
func (s LogRatios) Kept() []int {
	order := make([]int, len(s))
	floats.ArgsortStable(slices.Clone(s), order)
	kept := order[trimmed(len(s)) : len(s)-trimmed(len(s))]
	slices.Sort(kept)
	return kept
}

// Ratio returns the geometric mean of the ratios that are kept. It is NaN for no pairs.
func (s LogRatios) Ratio() float64 { return math.Exp(s.mean()) }

func (s LogRatios) mean() (mean float64) {
	kept := s.Kept()
	for _, i := range kept {
		mean += s[i]
	}
	return mean / float64(len(kept))
}

// Deviation returns the standard deviation of a single pair, as the trimmed mean feels
// it. It is NaN for fewer than two pairs.
func (s LogRatios) Deviation() float64 {
	if len(s) < 2 {
		return math.NaN()
	}
	winsorized := slices.Sorted(slices.Values(s))
	n, aside := len(s), trimmed(len(s))
	for i := range aside {
		winsorized[i], winsorized[n-1-i] = winsorized[aside], winsorized[n-1-aside]
	}
	_, variance := Moments(winsorized)
	return math.Sqrt(variance) / (1 - 2*float64(aside)/float64(n))
}

// outlierDeviations is the distance from the mean, in deviations, of an outlier.
const outlierDeviations = 6

// Outliers returns the indices of the pairs that are set aside and far from the others,
// in ascending order.
func (s LogRatios) Outliers() (list []int) {
	kept, mean, deviation := s.Kept(), s.mean(), s.Deviation()
	for i, v := range s {
		if !slices.Contains(kept, i) && math.Abs(v-mean) > outlierDeviations*deviation+histogram.BucketWidth {
			list = append(list, i)
		}
	}
	return list
}

// HalfWidth returns half the width of the mean's interval at a level. It is +Inf for
// fewer than two pairs.
func (s LogRatios) HalfWidth(level float64) float64 {
	return s.halfWidth(level, Others{})
}

// halfWidth is the smaller one of the sample alone, if it has enough pairs for that, and of the
// sample with its others.
func (s LogRatios) halfWidth(level float64, o Others) float64 {
	if len(s) < 2 {
		return math.Inf(1)
	}
	return o.halfWidth(s.Deviation(), len(s), level)
}

func (o Others) halfWidth(deviation float64, pairs int, level float64) float64 {
	alone := halfWidth(deviation, pairs, 1, level)
	if o.Deviation == 0 {
		return alone
	}
	all := halfWidth(max(deviation, o.Deviation), pairs, o.Targets-1, level)
	if pairs < o.Alone {
		return all
	}
	return min(alone, all)
}

func halfWidth(deviation float64, pairs, samples int, level float64) float64 {
	freedom := float64(samples * (pairs - 2*trimmed(pairs) - 1))
	return StudentQuantile(level, freedom)*deviation/math.Sqrt(float64(pairs)) + histogram.BucketWidth
}

// Others is how much the ratios of all pairs of several targets vary that were measured in the same
// repeats: the residual of repeats × targets. A few repeats of two of them may agree by luck, so
// a sample of few pairs varies at least as much; it has more degrees of freedom than it has
// alone. A sample of more pairs than that may vary less than the others. The zero value has none.
type Others struct {
	Deviation float64
	Targets   int
	Alone     int // the least number of pairs for a sample alone
}

// OthersOf returns that of the samples of every two of so many targets.
func OthersOf(targets int, samples []LogRatios, alone int) Others {
	o := Others{Targets: targets, Alone: alone}
	sum := 0.
	for _, s := range samples {
		if len(s) < 2 || len(s) != len(samples[0]) {
			return o // not all of them have the same repeats
		}
		sum += s.Deviation() * s.Deviation()
	}
	if targets > 2 {
		o.Deviation = math.Sqrt(sum / float64(len(samples)))
	}
	return o
}

// mostPairs is the largest number that PairsFor returns.
const mostPairs = 10_000

// PairsFor returns about how many pairs that vary as these do narrow the interval to
// ±width, where 0.1 is 10 %. Ok is false for fewer than two pairs, as their variation is
// not known, and if more than 10,000 are needed.
func (s LogRatios) PairsFor(width, level float64) (pairs int, ok bool) {
	return s.pairsFor(math.Log1p(width), level, Others{})
}

func (s LogRatios) pairsFor(most, level float64, o Others) (pairs int, ok bool) {
	if len(s) < 2 {
		return 0, false
	}
	deviation := s.Deviation()
	n := 2 + sort.Search(mostPairs-1, func(more int) bool { return o.halfWidth(deviation, 2+more, level) <= most })
	return n, n <= mostPairs
}

// probably is the part of a ratio that its interval may take on either side, so that four of five
// such samples show it.
const probably = 0.7

// PairsToShow returns about how many pairs that vary as these do would show that their ratio is
// not 1. Ok is false if that is unknown, or if more than 10,000 are needed.
func (s LogRatios) PairsToShow(level float64, o Others) (pairs int, ok bool) {
	return s.pairsFor(probably*math.Abs(s.mean()), level, o)
}

// Confidence is the probability that no sample of a family is shown to differ if none
// does.
const Confidence = 0.95

// A PairRatio is the ratio of pairs, judged with the others of its family.
type PairRatio struct {
	Pairs int      `json:"pairs"`
	Aside int      `json:"aside"` // how many of them are set aside: those with the highest and the lowest ratios
	Ratio float64  `json:"ratio"` // second/first: the geometric mean of the other pairs' ratios
	Low   *float64 `json:"low"`   // the bounds of the ratio; null: unknown
	High  *float64 `json:"high"`
	Level float64  `json:"level"` // the confidence of that interval; 0 if there is none
	Shown int      `json:"shown"` // 1: the ratio is above 1, -1: below 1, 0: not shown to be either
}

// JudgePairs judges a family of samples with [Holm]: if none differs, the probability
// that any is shown to is 1 − confidence. Samples of fewer than two pairs show nothing
// and are not part of the family: they have a ratio (0 for no pairs) and no interval. Each sample
// has its others, or none has.
func JudgePairs(family []LogRatios, others []Others, confidence float64) []PairRatio {
	if others == nil {
		others = make([]Others, len(family))
	}
	judged := make([]PairRatio, len(family))
	var open []int
	for i, s := range family {
		switch judged[i].Pairs = len(s); {
		case len(s) > 1:
			open = append(open, i)
		case len(s) == 1:
			judged[i].Ratio = Rounded(s.Ratio())
		}
	}
	Holm(open, confidence, func(i int, level float64) bool {
		judged[i] = family[i].judge(level, others[i])
		return judged[i].Shown != 0
	})
	return judged
}

func (s LogRatios) judge(level float64, o Others) PairRatio {
	r := PairRatio{Pairs: len(s), Aside: 2 * trimmed(len(s)), Ratio: Rounded(s.Ratio()), Level: level}
	half := s.halfWidth(level, o)
	low, high := s.mean()-half, s.mean()+half
	switch {
	case low > 0:
		r.Shown = 1
	case high < 0:
		r.Shown = -1
	}
	r.Low, r.High = new(Rounded(math.Exp(low))), new(Rounded(math.Exp(high)))
	return r
}

package paired

import (
	"math"

	"github.com/brokerbench/brokerbench/internal/holm"
	"github.com/brokerbench/brokerbench/internal/numbers"
)

// Confidence is how likely no sample of a family is said to differ if none does.
const Confidence = 0.95

// A Judged is what a sample says, beside the others of its family.
type Judged struct {
	Pairs int      `json:"pairs"`
	Aside int      `json:"aside"` // how many of them are set aside, as their ratios are the highest and the lowest
	Ratio float64  `json:"ratio"` // second/first: the geometric mean of the other pairs' ratios
	Low   *float64 `json:"low"`   // the bounds of the ratio; null: unknown
	High  *float64 `json:"high"`
	Level float64  `json:"level"` // the confidence of that interval; 0 if there is none
	Shown int      `json:"shown"` // 1: the ratio is above 1, -1: below 1, 0: not shown to be either
}

// Judge judges samples together: the chance that any is shown to differ, if none
// does, is 1 − confidence: 5 %, if that is Confidence; see [holm.StepDown]. Samples of
// fewer than two pairs show nothing, and do not count: they have a ratio (0 without a
// pair), and no interval.
func Judge(family []Sample, confidence float64) []Judged {
	judged := make([]Judged, len(family))
	var open []int
	for i, s := range family {
		switch judged[i].Pairs = len(s); {
		case len(s) > 1:
			open = append(open, i)
		case len(s) == 1:
			judged[i].Ratio = numbers.Rounded(s.Ratio())
		}
	}
	holm.StepDown(open, confidence, func(i int, level float64) bool {
		judged[i] = family[i].at(level)
		return judged[i].Shown != 0
	})
	return judged
}

// at judges a sample of two pairs or more at a level.
func (s Sample) at(level float64) Judged {
	j := Judged{Pairs: len(s), Aside: 2 * odd(len(s)), Ratio: numbers.Rounded(s.Ratio()), Level: level}
	half := s.HalfWidth(level)
	low, high := s.mean()-half, s.mean()+half
	switch {
	case low > 0:
		j.Shown = 1
	case high < 0:
		j.Shown = -1
	}
	j.Low, j.High = new(numbers.Rounded(math.Exp(low))), new(numbers.Rounded(math.Exp(high)))
	return j
}

// Inverse returns what the same pairs say of first/second.
func (j Judged) Inverse() Judged {
	inverse := j
	inverse.Ratio, inverse.Shown = numbers.Rounded(1/j.Ratio), -j.Shown
	inverse.Low, inverse.High = nil, nil
	if j.Low != nil && j.High != nil {
		inverse.Low, inverse.High = new(numbers.Rounded(1 / *j.High)), new(numbers.Rounded(1 / *j.Low))
	}
	return inverse
}

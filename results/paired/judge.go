package paired

import "math"

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
// does, is 1 − confidence: 5 %, if that is Confidence. Each of m has a level of
// 1 − 0.05/m; those that are shown leave the others with fewer to share it with (Holm, A simple sequentially rejective multiple
// test procedure, Scandinavian Journal of Statistics 6, 1979). So an answer and its
// interval never disagree. Samples of fewer than two pairs show nothing, and are not
// among the m: they have a ratio (0 without a pair), and no interval.
func Judge(family []Sample, confidence float64) []Judged {
	judged := make([]Judged, len(family))
	var open []int
	for i, s := range family {
		switch judged[i].Pairs = len(s); {
		case len(s) > 1:
			open = append(open, i)
		case len(s) == 1:
			judged[i].Ratio = rounded(s.Ratio())
		}
	}
	for answered := true; answered && len(open) > 0; {
		level := 1 - (1-confidence)/float64(len(open))
		var left []int
		for _, i := range open {
			if judged[i] = family[i].at(level); judged[i].Shown == 0 {
				left = append(left, i)
			}
		}
		answered = len(left) < len(open)
		open = left
	}
	return judged
}

// at judges a sample of two pairs or more at a level.
func (s Sample) at(level float64) Judged {
	j := Judged{Pairs: len(s), Aside: 2 * odd(len(s)), Ratio: rounded(s.Ratio()), Level: level}
	half := s.HalfWidth(level)
	low, high := s.mean()-half, s.mean()+half
	switch {
	case low > 0:
		j.Shown = 1
	case high < 0:
		j.Shown = -1
	}
	j.Low, j.High = new(rounded(math.Exp(low))), new(rounded(math.Exp(high)))
	return j
}

// Inverse returns what the same pairs say of first/second.
func (j Judged) Inverse() Judged {
	inverse := j
	inverse.Ratio, inverse.Shown = rounded(1/j.Ratio), -j.Shown
	inverse.Low, inverse.High = nil, nil
	if j.Low != nil && j.High != nil {
		inverse.Low, inverse.High = new(rounded(1 / *j.High)), new(rounded(1 / *j.Low))
	}
	return inverse
}

// rounded drops the digits in which processors differ.
func rounded(v float64) float64 { return math.Round(v*1e9) / 1e9 }

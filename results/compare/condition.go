package compare

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/brokerbench/brokerbench/results"
)

// A Condition makes a comparison fail: a percentile is slower by more than so many
// percent, and the difference is shown.
//
//	p99>10%      the ratio is above 1.1, and the lower bound of its interval above 1
//	p99.9>=5%    the ratio is 1.05 or above, and …
//	max>100%     the largest of all runs is more than twice as large, and every run's
//	             maximum is above all of BASE's, of three runs a side or more: the
//	             maximum has no interval
type Condition struct {
	Percentile float64 // 100 is the maximum
	OrEqual    bool    // >= instead of >
	Percent    float64 // 0 or more
}

// runsForMax is how many runs a side needs for its maximum to count. With two runs
// a side, both of NEW are above both of BASE in one of 6 comparisons of the same
// thing; with three, in one of 20.
const runsForMax = 3

// maxPercent is the largest threshold; more is a typo.
const maxPercent = 1e6

// ParseCondition reads a condition as above; spaces around its parts do not matter.
func ParseCondition(text string) (c Condition, err error) {
	name, limit, found := strings.Cut(text, ">")
	if !found {
		return c, fmt.Errorf("condition %q: want a percentile, > or >=, and a percentage, such as p99>10%%", text)
	}
	limit, c.OrEqual = strings.CutPrefix(limit, "=")
	if c.Percentile, err = parsePercentile(strings.TrimSpace(name)); err == nil {
		c.Percent, err = parsePercent(strings.TrimSpace(limit))
	}
	if err != nil {
		return Condition{}, fmt.Errorf("condition %q: %w", text, err)
	}
	return c, nil
}

func parsePercentile(name string) (float64, error) {
	var names []string
	for _, p := range results.Percentiles() {
		if name == label(p) {
			return p, nil
		}
		names = append(names, label(p))
	}
	return 0, fmt.Errorf("%q is none of %s", name, strings.Join(names, ", "))
}

func parsePercent(text string) (float64, error) {
	digits, percent := strings.CutSuffix(text, "%")
	digits = strings.TrimSpace(digits)
	v, err := strconv.ParseFloat(digits, 64)
	if !percent || err != nil || strings.Trim(digits, "0123456789.") != "" || v > maxPercent {
		return 0, fmt.Errorf("%q is not a percentage from 0%% to %.0f%%", text, maxPercent)
	}
	return v, nil
}

// String returns the condition as ParseCondition reads it.
func (c Condition) String() string {
	operator := ">"
	if c.OrEqual {
		operator = ">="
	}
	return label(c.Percentile) + operator + strconv.FormatFloat(c.Percent, 'f', -1, 64) + "%"
}

// label names a percentile.
func label(percentile float64) string {
	if percentile == 100 {
		return "max"
	}
	return "p" + strconv.FormatFloat(percentile, 'f', -1, 64)
}

// An Outcome is the result of a condition. Pairs are named by the ID of BASE's
// cells, without the number of the repeat.
type Outcome struct {
	Condition string `json:"condition"`
	// Failed lists the pairs where the condition is met.
	Failed []string `json:"failed,omitempty"`
	// Inconclusive lists those where it cannot be judged: the percentile is not
	// comparable, there are too few runs for a maximum, or NEW lacks the cell.
	Inconclusive []string `json:"inconclusive,omitempty"`
	// NotExcluded lists those where it is not met, but would be with a ratio inside
	// the interval: more repeats may show it.
	NotExcluded []string `json:"not_excluded,omitempty"`
}

// outcome applies the condition to all pairs.
func (c Condition) outcome(of *Comparison) Outcome {
	o := Outcome{Condition: c.String()}
	for _, p := range of.Pairs {
		i := slices.IndexFunc(p.Rows, func(r Row) bool { return r.Percentile == c.Percentile })
		row, id := p.Rows[i], p.Base.ID
		few := row.Answer == NotJudged && min(len(p.Base.IDs), len(p.New.IDs)) < runsForMax
		switch met := c.met(row); {
		case row.Answer == NotComparable || met && few:
			o.Inconclusive = append(o.Inconclusive, id)
		case met:
			o.Failed = append(o.Failed, id)
		case row.Answer != NotJudged && (row.High == nil || c.exceeded(*row.High)):
			o.NotExcluded = append(o.NotExcluded, id)
		}
	}
	for _, u := range of.Unpaired {
		if u.Side == "BASE" {
			o.Inconclusive = append(o.Inconclusive, u.ID)
		}
	}
	return o
}

// met returns whether a row is shown to be a regression.
func (c Condition) met(r Row) bool {
	shown := r.Answer == Slower || r.Answer == NotJudged && r.EveryRunAbove
	return shown && c.exceeded(*r.Ratio)
}

// exceeded returns whether a ratio is beyond the threshold.
func (c Condition) exceeded(ratio float64) bool {
	limit := 1 + c.Percent/100
	return ratio > limit || c.OrEqual && ratio == limit
}

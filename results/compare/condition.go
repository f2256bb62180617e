package compare

import (
	"fmt"
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
	if c.Percentile, err = parsePercentile(strings.TrimSpace(name)); err != nil {
		return Condition{}, fmt.Errorf("condition %q: %w", text, err)
	}
	if c.Percent, err = parsePercent(strings.TrimSpace(limit)); err != nil {
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

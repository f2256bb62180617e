package compare

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/brokerbench/brokerbench/requester/plan"
)

// A Condition is what makes a comparison fail: a percentile that is slower by more
// than so many percent, where the difference is shown.
//
//	p99>10%      the ratio is above 1.1, and the lower bound of its interval above 1
//	p99.9>=5%    the ratio is 1.05 or above, and …
//	max>100%     the largest of all runs is more than twice as large, and every run's
//	             maximum is above all of BASE's: the maximum has no interval
type Condition struct {
	Percentile float64 // 100 is the maximum
	OrEqual    bool    // >= instead of >
	Percent    float64 // 0 or more
}

// maxPercent is the largest threshold: a typo rather than a wish.
const maxPercent = 1e6

// ParseCondition reads a condition as above; spaces around its parts do not matter.
func ParseCondition(text string) (c Condition, err error) {
	name, limit, found := strings.Cut(text, ">")
	if !found {
		return c, fmt.Errorf("compare: condition %q: want a percentile, > or >=, and a percentage, such as p99>10%%", text)
	}
	limit, c.OrEqual = strings.CutPrefix(limit, "=")
	if c.Percentile, err = parsePercentile(strings.TrimSpace(name)); err != nil {
		return Condition{}, fmt.Errorf("compare: condition %q: %w", text, err)
	}
	if c.Percent, err = parsePercent(strings.TrimSpace(limit)); err != nil {
		return Condition{}, fmt.Errorf("compare: condition %q: %w", text, err)
	}
	return c, nil
}

func parsePercentile(name string) (float64, error) {
	if name == "max" {
		return 100, nil
	}
	known := plan.KnownPercentiles()
	for _, p := range known {
		if name == label(p) {
			return p, nil
		}
	}
	var names []string
	for _, p := range known {
		names = append(names, label(p))
	}
	return 0, fmt.Errorf("%q is none of %s, max", name, strings.Join(names, ", "))
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

// An Outcome is what became of a condition.
type Outcome struct {
	Condition string `json:"condition"`
	// Failed lists the pairs where it is met, Inconclusive those where that cannot
	// be told: the percentile is not comparable, or NEW lacks the cell. Both are
	// named by the ID of BASE's cell, without the number of its repeat.
	Failed       []string `json:"failed,omitempty"`
	Inconclusive []string `json:"inconclusive,omitempty"`
}

// outcome applies the condition to all pairs.
func (c Condition) outcome(of *Comparison) Outcome {
	o := Outcome{Condition: c.String()}
	for _, p := range of.Pairs {
		id := plan.Cell{Target: plan.Target{Name: p.Base.Target}, Shape: p.Base.Shape}.SharedID()
		i := slices.IndexFunc(p.Rows, func(r Row) bool { return r.Percentile == c.Percentile })
		switch row := p.Rows[i]; {
		case row.Answer == NotComparable:
			o.Inconclusive = append(o.Inconclusive, id)
		case c.met(row):
			o.Failed = append(o.Failed, id)
		}
	}
	for _, u := range of.Unpaired {
		if u.Side == "BASE" {
			o.Inconclusive = append(o.Inconclusive, u.ID)
		}
	}
	return o
}

func (c Condition) met(r Row) bool {
	limit := 1 + c.Percent/100
	shown := r.Answer == Slower || r.Answer == NotJudged && r.EveryRunAbove
	return shown && (*r.Ratio > limit || c.OrEqual && *r.Ratio == limit)
}

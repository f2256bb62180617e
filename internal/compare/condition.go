package compare

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/results"
)

// A Metric is the number that a condition limits.
type Metric string

// The metrics.
const (
	OfPercentile Metric = ""       // a percentile, or the maximum
	OfLoss       Metric = "loss"   // the share of due messages that are not done
	OfPauses     Metric = "pauses" // the rate of pauses of the target
)

// A Condition is a gate: it limits by how much NEW may exceed BASE.
//
//	p99>10%       p99 is more than 10 % higher: the ratio is above 1.1
//	p99.9>=5%     the ratio is 1.05 or above
//	max>100%      the maximum of a run is more than twice as long
//	loss>0.1%     of 1,000 messages, one more is not done
//	pauses>50%    there are pauses in half as many seconds again
//	pauses>2/min  there are pauses in more than two more seconds of a minute
//
// A gate passes only if the whole interval is below the limit, and fails only if the
// whole interval is above it. Otherwise it is not decided.
type Condition struct {
	Metric     Metric
	Percentile float64 // of OfPercentile; 100 is the maximum
	OrEqual    bool    // >= instead of >
	Limit      float64 // percent, 0 or more; of loss, of all messages
	PerMinute  bool    // the limit is seconds of a minute, not percent
}

// maxLimit is the largest limit: a larger one is a typing error.
const maxLimit = 1e6

// ParseCondition reads a condition as above; spaces around its parts do not matter.
func ParseCondition(text string) (c Condition, err error) {
	name, limit, found := strings.Cut(text, ">")
	if !found {
		return c, fmt.Errorf("condition %q: want a percentile, loss or pauses, > or >=, and a percentage, such as p99>10%%", text)
	}
	limit, c.OrEqual = strings.CutPrefix(limit, "=")
	if err = c.parseName(strings.TrimSpace(name)); err == nil {
		err = c.parseLimit(strings.TrimSpace(limit))
	}
	if err != nil {
		return Condition{}, fmt.Errorf("condition %q: %w", text, err)
	}
	return c, nil
}

func (c *Condition) parseName(name string) error {
	if m := Metric(name); m == OfLoss || m == OfPauses {
		c.Metric = m
		return nil
	}
	var names []string
	for _, p := range results.Percentiles() {
		if name == words.Percentile(p) {
			c.Percentile = p
			return nil
		}
		names = append(names, words.Percentile(p))
	}
	return fmt.Errorf("%q is none of %s, loss, pauses", name, strings.Join(names, ", "))
}

func (c *Condition) parseLimit(text string) (err error) {
	digits, unit := strings.CutSuffix(text, "%")
	if c.Metric == OfPauses && !unit {
		digits, c.PerMinute = strings.CutSuffix(text, "/min")
		unit = c.PerMinute
	}
	digits = strings.TrimSpace(digits)
	c.Limit, err = strconv.ParseFloat(digits, 64)
	if unit && err == nil && strings.Trim(digits, "0123456789.") == "" && c.Limit <= maxLimit {
		return nil
	}
	if c.Metric == OfPauses {
		return fmt.Errorf("%q is neither a percentage, such as 50%%, nor a rate, such as 2/min", text)
	}
	return fmt.Errorf("%q is not a percentage from 0%% to %.0f%%", text, maxLimit)
}

// String returns the condition as ParseCondition reads it.
func (c Condition) String() string {
	name, operator, unit := string(c.Metric), ">", "%"
	if c.Metric == OfPercentile {
		name = words.Percentile(c.Percentile)
	}
	if c.OrEqual {
		operator = ">="
	}
	if c.PerMinute {
		unit = "/min"
	}
	return name + operator + strconv.FormatFloat(c.Limit, 'f', -1, 64) + unit
}

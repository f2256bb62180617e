package search

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/plan"
)

// The defaults of a search.
const (
	DefaultFrom      = 1000
	DefaultMax       = 1_000_000
	DefaultPrecision = 0.05
	DefaultWindow    = 5 * time.Second
	DefaultConfirm   = 20 * time.Second
)

// longest is how long a probe may become when its percentiles need many messages,
// unless the configured windows are longer.
const longest = time.Minute

// maxSteps is how many steps of the precision confirming may move the rate. If that
// is not enough, short and long probes disagree about the target, and the result is
// unclear.
const maxSteps = 5

// A Config says what to search for. A probe that keeps an objective counts at once.
// One that does not is repeated until two probes agree, or until there are three, so
// that one noisy probe changes nothing. Only an overload beyond doubt is not
// repeated. Zero fields mean the defaults.
type Config struct {
	Objectives []plan.Objective
	From       int     // the lowest rate, at which the search begins
	Max        int     // the highest rate to try
	Precision  float64 // the largest gap between the highest rate that is kept and the lowest that is not, as a part of the former

	Window  time.Duration // of a probe; it becomes longer if a percentile needs more messages
	Confirm time.Duration // window of the probes that confirm a rate
}

func (c Config) withDefaults() Config {
	c.From = cmp.Or(c.From, DefaultFrom)
	c.Max = cmp.Or(c.Max, max(DefaultMax, c.From))
	c.Precision = cmp.Or(c.Precision, DefaultPrecision)
	c.Window = cmp.Or(c.Window, DefaultWindow)
	c.Confirm = cmp.Or(c.Confirm, max(DefaultConfirm, c.Window))
	return c
}

// Validate reports every mistake in the config.
func (c Config) Validate() error {
	c = c.withDefaults()
	var errs []error
	if len(c.Objectives) == 0 {
		errs = append(errs, errors.New("no SLO to search for, such as p99<5ms"))
	}
	if c.From < 1 || c.Max < c.From || c.Max > math.MaxInt32 {
		errs = append(errs, fmt.Errorf("rates from %d to %d: want at least 1, at most %d, and the lowest first", c.From, c.Max, math.MaxInt32))
	}
	if !(c.Precision >= 0.001 && c.Precision <= 1) {
		errs = append(errs, fmt.Errorf("precision %v %%: want 0.1 %% to 100 %%", 100*c.Precision))
	}
	if c.Window <= 0 || c.Confirm < c.Window {
		errs = append(errs, fmt.Errorf("a window of %v and %v to confirm: want both above 0, and the second at least as long as the first", c.Window, c.Confirm))
	}
	for _, o := range c.Objectives {
		errs = append(errs, c.check(o))
	}
	return errors.Join(errs...)
}

// check returns what is wrong with an objective. An objective that is missed at one
// rate must be missed at higher ones, and a probe at the lowest rate must have
// enough messages to judge it.
func (c Config) check(o plan.Objective) error {
	below := o.Operator == "<" || o.Operator == "<="
	if o.PerSecond || below == (o.Metric == "rate") {
		return fmt.Errorf("SLO %v: a higher rate can make it hold; want an upper limit for a time or for the loss, or rate>99%%", o)
	}
	limit := max(longest, c.Window, c.Confirm)
	if c.From < 1 || needed(o, c.From) <= limit {
		return nil
	}
	lowest := math.Ceil(float64(c.From) * float64(needed(o, c.From)) / float64(limit))
	return fmt.Errorf("SLO %v takes a window of %v at %d/s: begin at %.0f/s, or allow that long a window for confirming", o, needed(o, c.From), c.From, lowest)
}

// window returns how long a probe is.
func (c Config) window(at point) time.Duration {
	window := c.Window
	if at.long {
		window = c.Confirm
	}
	for _, o := range c.Objectives {
		window = max(window, needed(o, at.rate))
	}
	return window
}

// spare allows for random arrivals that are fewer than the rate says: 5 % is five
// standard deviations of the 10,000 messages that p99.9 needs.
const spare = 1.05

// needed returns how long a probe must be to have enough messages for the
// objective's percentile, in whole tenths of a second; 0 if it is not about one.
func needed(o plan.Objective, rate int) time.Duration {
	if o.Metric != "" || o.Percentile >= 100 {
		return 0
	}
	seconds := spare * histogram.MinAbove / (1 - o.Percentile/100) / float64(rate)
	return time.Duration(math.Ceil(10*seconds-1e-6)) * time.Second / 10
}

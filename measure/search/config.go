package search

import (
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

// longest is how long a probe may become so that its percentiles can be relied
// on, unless the windows that were asked for are longer.
const longest = time.Minute

// maxSteps is by how many steps of the precision a confirmation may move the
// rate. If that is not enough, short and long probes disagree about the target,
// and the result is unclear.
const maxSteps = 5

// A Config says what is searched for. A probe that keeps an objective counts at
// once. One that does not is repeated until two say the same, three times at most,
// so that one noisy probe changes nothing; only an overload that is beyond doubt
// is not repeated. Zero fields mean the defaults.
type Config struct {
	Objectives []plan.Objective
	From       int     // the lowest rate, with which the search begins
	Max        int     // the highest rate that is tried
	Precision  float64 // how far apart, as a part of the lower, the highest rate that is kept and the lowest that is not may be

	Window  time.Duration // of a probe; it is longer where a percentile needs it
	Confirm time.Duration // of the probes that confirm the result
}

func (c Config) withDefaults() Config {
	if c.From == 0 {
		c.From = DefaultFrom
	}
	if c.Max == 0 {
		c.Max = max(DefaultMax, c.From)
	}
	if c.Precision == 0 {
		c.Precision = DefaultPrecision
	}
	if c.Window == 0 {
		c.Window = DefaultWindow
	}
	if c.Confirm == 0 {
		c.Confirm = max(DefaultConfirm, c.Window)
	}
	return c
}

// Validate returns every mistake in the config at once.
func (c Config) Validate() error {
	c = c.withDefaults()
	var errs []error
	if len(c.Objectives) == 0 {
		errs = append(errs, errors.New("no SLO to search for, such as p99<5ms"))
	}
	if c.From < 1 || c.Max < c.From || c.Max > math.MaxInt32 {
		errs = append(errs, fmt.Errorf("rates from %d to %d: want 1 at least, up to %d, the lowest first", c.From, c.Max, math.MaxInt32))
	}
	if !(c.Precision >= 0.001 && c.Precision <= 1) {
		errs = append(errs, fmt.Errorf("precision %v %%: want 0.1 %% to 100 %%", 100*c.Precision))
	}
	if c.Window <= 0 || c.Confirm < c.Window {
		errs = append(errs, fmt.Errorf("a window of %v and %v to confirm: want neither 0 nor less, nor the second shorter", c.Window, c.Confirm))
	}
	for _, o := range c.Objectives {
		errs = append(errs, c.check(o))
	}
	return errors.Join(errs...)
}

// check returns what is wrong with an objective: a higher rate must not be able
// to bring it back, and it must be possible to judge it at the lowest rate.
func (c Config) check(o plan.Objective) error {
	below := o.Operator == "<" || o.Operator == "<="
	if o.PerSecond || below == (o.Metric == "rate") {
		return fmt.Errorf("SLO %v: a higher rate can make it hold; want an upper limit of a time or of the loss, or rate>99%%", o)
	}
	limit := max(longest, c.Window, c.Confirm)
	if c.From < 1 || needed(o, c.From) <= limit {
		return nil
	}
	lowest := math.Ceil(float64(c.From) * float64(needed(o, c.From)) / float64(limit))
	return fmt.Errorf("SLO %v takes a window of %v at %d/s: begin at %.0f/s, or allow so much for confirming", o, needed(o, c.From), c.From, lowest)
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

// spare is by how much drawn arrivals may be fewer than the rate says: five
// standard deviations of the 10,000 that p99.9 takes.
const spare = 1.05

// needed returns how long a probe has to be for a percentile to be relied on, in
// whole tenths of a second; 0 if the objective needs no number of ops.
func needed(o plan.Objective, rate int) time.Duration {
	if o.Metric != "" || o.Percentile >= 100 {
		return 0
	}
	seconds := spare * histogram.MinAbove / (1 - o.Percentile/100) / float64(rate)
	return time.Duration(math.Ceil(10*seconds-1e-6)) * time.Second / 10
}

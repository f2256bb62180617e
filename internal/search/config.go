package search

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// The defaults of a search.
const (
	DefaultFrom      = 1000
	DefaultMax       = 1_000_000
	DefaultPrecision = 0.05
	DefaultWindow    = 5 * time.Second
	DefaultConfirm   = 20 * time.Second
	DefaultPause     = results.UnseenPause
	DefaultAtMost    = 30 * time.Minute
)

// longest is how long a window is at most, unless the configured ones are longer: a
// rate that needs more is measured again, with new connections.
const longest = time.Minute

// A Config says what to search for. A rate keeps an objective if the 99 % confidence
// interval of the share of its messages over the limit is below what the objective
// allows, and does not keep it if the interval is above. In between it is measured
// again, until AtMost is over. Zero fields mean the defaults.
type Config struct {
	Objectives []plan.Objective `json:"-"`
	From       int              `json:"from_per_s"` // the lowest rate, at which the search begins
	Max        int              `json:"max_per_s"`  // the highest rate to try
	Precision  float64          `json:"precision"`  // the largest gap between the highest rate that is kept and the lowest that is not, as a part of the former

	Window  time.Duration `json:"window_ns"`  // of a probe; it becomes longer if a percentile needs more messages
	Confirm time.Duration `json:"confirm_ns"` // how long a rate is measured at least before it is decided

	// Pause is what an answer must exclude even if nothing like it was seen: that a
	// pause as long as this one breaks the objective, as rare as the windows allow.
	// Negative: nothing is excluded that was not seen.
	Pause  time.Duration `json:"pause_ns"`
	AtMost time.Duration `json:"at_most_ns"` // how long the search may take; the rest is reported as undecided
}

func (c Config) withDefaults() Config {
	c.From = cmp.Or(c.From, DefaultFrom)
	c.Max = cmp.Or(c.Max, max(DefaultMax, c.From))
	c.Precision = cmp.Or(c.Precision, DefaultPrecision)
	c.Window = cmp.Or(c.Window, DefaultWindow)
	c.Confirm = cmp.Or(c.Confirm, max(DefaultConfirm, c.Window))
	c.Pause = cmp.Or(c.Pause, DefaultPause)
	c.AtMost = cmp.Or(c.AtMost, DefaultAtMost)
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
	if window := c.window(max(c.From, 1)); c.AtMost < window {
		errs = append(errs, fmt.Errorf("%v for a search: want more than the %v of one window", c.AtMost, window))
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
	if o.OfFaults() {
		return fmt.Errorf("SLO %v: a search makes no faults; measure it with run", o)
	}
	if _, _, ofUser := plan.UserOf(o.Series); ofUser {
		return fmt.Errorf("SLO %v: a search counts messages, not users; limit the response time, or measure it with run", o)
	}
	below := o.Operator == "<" || o.Operator == "<="
	if o.PerSecond || below == (o.Metric == "rate") {
		return fmt.Errorf("SLO %v: a higher rate can make it hold; want an upper limit for a time or for the loss, or rate>99%%", o)
	}
	if c.From < 1 || needed(o, c.From) <= c.longest() {
		return nil
	}
	lowest := math.Ceil(float64(c.From) * float64(needed(o, c.From)) / float64(c.longest()))
	return fmt.Errorf("SLO %v takes a window of %v at %d/s: begin at %.0f/s, or allow that long a window for confirming", o, needed(o, c.From), c.From, lowest)
}

func (c Config) longest() time.Duration { return max(longest, c.Window, c.Confirm) }

// window returns how long a probe at a rate is at least.
func (c Config) window(rate int) time.Duration {
	window := c.Window
	for _, o := range c.Objectives {
		window = max(window, needed(o, rate))
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
	seconds := spare * results.Needed(o.Percentile) / float64(rate)
	return time.Duration(math.Ceil(10*seconds-1e-6)) * time.Second / 10
}

// none returns the upper bound of a Poisson mean after no event was seen, in an interval
// of 99 %: about −ln(0.5 %).
func none() float64 { return gamma(1, 1, quantile) }

// Least returns how long windows at a rate must be in all to decide that an objective
// is kept there, if no message is over its limit: so long that a pause of c.Pause that
// was not seen cannot break it. 0 is the default in all fields of c.
func (c Config) Least(o plan.Objective, rate int) time.Duration {
	c = c.withDefaults()
	limit := allowed(o)
	if o.Metric == "rate" {
		return 2 * c.Window
	}
	if limit <= 0 {
		return longest
	}
	seconds := none() / limit / float64(rate) // one message that was not seen
	if o.Metric == "" {
		seconds = max(seconds, none()/limit*(c.Pause-time.Duration(o.Limit)).Seconds())
	}
	return max(time.Duration(seconds*float64(time.Second)).Round(time.Second/10), c.Confirm)
}

// Probes returns about how many probes find the way for one objective: doublings up to
// a rate in the middle of the range, and halvings down to the precision. Those that
// decide come after them.
func (c Config) Probes() int {
	c = c.withDefaults()
	doublings := math.Log2(float64(c.Max)/float64(c.From)) / 2
	halvings := math.Log2(math.Ln2 / math.Log1p(c.Precision))
	return 2 + int(math.Round(doublings)) + int(math.Ceil(max(halvings, 0)))
}

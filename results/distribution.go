package results

import (
	"fmt"
	"math"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/plan"
)

// Percentiles returns the percentiles that a distribution lists: the ones that a
// plan may ask for, and the maximum.
func Percentiles() []float64 { return append(plan.KnownPercentiles(), 100) }

// A Distribution sums up a histogram. Messages that were due and are not done rank
// above every value: a percentile that falls on one of them is unknown.
type Distribution struct {
	Count       int64        `json:"count"`   // values recorded
	Missing     int64        `json:"missing"` // messages that have no value and rank above
	Clamped     int64        `json:"clamped"` // values outside the histogram's range, counted at its end
	MinNS       int64        `json:"min_ns"`
	MeanNS      int64        `json:"mean_ns"` // of the values; means little when any are missing
	StdDevNS    int64        `json:"stddev_ns"`
	MaxNS       int64        `json:"max_ns"` // of the values; the true one is unknown when any are missing
	Percentiles []Percentile `json:"percentiles"`
	// Histogram has all values, as [histogram.Histogram.Encode] writes them. Of the series with
	// confidence intervals; absent elsewhere, and in results of earlier versions.
	Histogram string `json:"histogram,omitempty"`
}

// A Percentile is one row of a distribution.
type Percentile struct {
	Percentile   float64 `json:"percentile"`
	ValueNS      *int64  `json:"value_ns"`          // null: unknown, because missing messages rank here
	SamplesAbove int64   `json:"samples_above"`     // how many of all messages, missing ones included, rank above
	LowNS        *int64  `json:"low_ns,omitempty"`  // 95 % confidence; absent: not known
	HighNS       *int64  `json:"high_ns,omitempty"` // absent beside a low_ns: the run shows no upper bound
	Events       float64 `json:"events,omitempty"`  // how many independent events the samples above amount to; absent: not known
	// Withheld is true if there is a value that is not shown, because it is less than ten times
	// the error of two clocks. Only of one-way times between machines.
	Withheld bool `json:"withheld,omitempty"`
	// Trusted is true if the value is known, at least histogram.MinAbove samples are above it,
	// they come from at least confidence.MinEvents events or an unknown number of them, and
	// the interval is not wide. A known maximum is always trusted.
	Trusted   bool   `json:"trusted"`
	Use       Use    `json:"use,omitempty"`        // of response and service; absent elsewhere
	LimitedBy []Code `json:"limited_by,omitempty"` // the problems that limit its use
}

// NewDistribution sums up h and the number of messages without a value.
func NewDistribution(h *histogram.Histogram, missing int64) Distribution {
	d := RanksOf(h, missing)
	mean, deviation := h.Moments()
	d.MeanNS, d.StdDevNS = int64(mean), int64(deviation)
	return d
}

// RanksOf is NewDistribution without mean and standard deviation, which take most of its
// time. Progress reports use it.
func RanksOf(h *histogram.Histogram, missing int64) Distribution {
	d := Distribution{Count: h.Count(), Missing: missing, Clamped: h.Clamped(), MinNS: int64(h.Min()), MaxNS: int64(h.Max())}
	for _, p := range Percentiles() {
		value, above, known := h.QuantileOf(p, d.Count+missing)
		row := Percentile{Percentile: p, SamplesAbove: above, Trusted: known && (above >= histogram.MinAbove || p == 100)}
		if ns := int64(value); known {
			row.ValueNS = &ns
		}
		d.Percentiles = append(d.Percentiles, row)
	}
	return d
}

// At returns the row of a percentile; ok is false if the distribution does not
// list it.
func (d Distribution) At(percentile float64) (row Percentile, ok bool) {
	for _, row := range d.Percentiles {
		if row.Percentile == percentile {
			return row, true
		}
	}
	return Percentile{}, false
}

// Value returns the row's value; ok is false if it is unknown.
func (p Percentile) Value() (v time.Duration, ok bool) {
	if p.ValueNS == nil {
		return 0, false
	}
	return time.Duration(*p.ValueNS), true
}

// NoValue says why the percentile has no value that can be compared, as the end of a
// sentence such as "BASE r1: unknown, …"; "" if it has one.
func (p Percentile) NoValue() string {
	switch v, known := p.Value(); {
	case !known:
		return ": unknown, missing messages rank there"
	case v <= 0:
		return " is 0"
	}
	return ""
}

// TooFew says in the same way that too few messages are above the percentile to compare it; ""
// if enough are. The maximum needs none.
func (p Percentile) TooFew() string {
	if p.Percentile == 100 || p.SamplesAbove >= histogram.MinAbove {
		return ""
	}
	return fmt.Sprintf(": fewer than %d messages above it", histogram.MinAbove)
}

// Needed returns how many messages a percentile below 100 needs, so that histogram.MinAbove
// rank above it.
func Needed(percentile float64) float64 {
	return histogram.MinAbove / (1 - percentile/100) * (1 - 1e-12) // 1 − 0.999 is no float
}

// NeededWindow returns the window, in whole seconds, that a percentile below 100 needs at a
// rate; the longest Duration if none is long enough.
func NeededWindow(percentile, perSecond float64) time.Duration {
	seconds := math.Ceil(Needed(percentile) / perSecond)
	if !(seconds < math.MaxInt64/1e9) {
		return math.MaxInt64
	}
	return time.Duration(seconds) * time.Second
}

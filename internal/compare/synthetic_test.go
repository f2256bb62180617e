package compare_test

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/compare"
	"github.com/brokerbench/brokerbench/internal/confidence"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// A system makes log-normal latencies with a median of a millisecond, which
// remember: their normal deviate is an autoregressive process of order 1 over
// intervals, and white noise within, which takes the rest of its variance.
type system struct {
	intervals, ops int     // ops are per interval, which is a second
	phi            float64 // the correlation of neighbouring intervals
	slow           float64 // the share of the variance that remembers
	between        float64 // standard deviation between runs, of the logarithm
	every          float64 // seconds between pauses or bursts, on average; 0: none
	length         float64 // of one, in seconds
	times          float64 // how many times as slow a burst is; 0: a pause, in which nothing is answered
}

const sigma = 0.8

// run makes one run, its median times scale, and its tail above p90 times tail
// besides. It calls each with every second; the histogram is overwritten.
func (s system) run(rng *rand.Rand, scale, tail float64, each func(number int, h *histogram.Histogram)) {
	scale *= 1e6 * math.Exp(s.between*rng.NormFloat64())
	z, step := rng.NormFloat64(), math.Sqrt(1-s.phi*s.phi)
	a, b := math.Sqrt(s.slow), math.Sqrt(1-s.slow)
	h := histogram.New()
	end := s.until(rng, 0)
	for number := range s.intervals {
		for i := range s.ops {
			v := math.Exp(sigma * (a*z + b*rng.NormFloat64()))
			if v > 2.788 { // p90 = exp(0.8·1.2816)
				v *= tail
			}
			h.Record(time.Duration(s.disturb(rng, scale*v, float64(number)+float64(i)/float64(s.ops), &end)))
		}
		each(number, h)
		z = s.phi*z + step*rng.NormFloat64()
	}
}

// until returns when the next pause or burst after a second ends.
func (s system) until(rng *rand.Rand, second float64) float64 {
	if s.every == 0 {
		return math.Inf(1)
	}
	return second + s.every*rng.ExpFloat64() + s.length
}

// disturb returns the response time of a message that is due at a second, and how it is
// if that is in a pause or a burst.
func (s system) disturb(rng *rand.Rand, v, second float64, end *float64) float64 {
	if second >= *end {
		*end = s.until(rng, *end)
	}
	switch {
	case second < *end-s.length:
		return v
	case s.times > 0:
		return v * s.times
	}
	return v + 1e9*(*end-second)
}

// A recorder makes of intervals what is read from a run's folder.
type recorder struct {
	all    *histogram.Histogram
	series *confidence.Series
}

func newRecorder() *recorder { return &recorder{histogram.New(), new(confidence.Series)} }

func (r *recorder) add(h *histogram.Histogram) {
	r.series.Add(h)
	if err := r.all.Merge(h); err != nil {
		panic(err)
	}
}

func (r *recorder) trial(repeat int) compare.Trial {
	c := cell(repeat)
	c.Response = results.NewDistribution(r.all, 0)
	c.Ledger = results.Ledger{Due: r.all.Count(), Done: r.all.Count()}
	for i := range c.Response.Percentiles {
		row := &c.Response.Percentiles[i]
		if events, ok := r.series.Events(row.Percentile, 0); ok { // as measure has it
			row.Trusted = row.Trusted && events >= confidence.MinEvents
		}
	}
	return compare.Trial{Cell: c, Series: r.series}
}

// repeats returns so many runs. As in sets that are opened, repeats have no series,
// unless they are to be used alone.
func (s system) repeats(rng *rand.Rand, n int, scale, tail float64, alone bool) (trials []compare.Trial) {
	for i := range n {
		r := newRecorder()
		s.run(rng, scale, tail, func(number int, h *histogram.Histogram) {
			switch {
			case alone:
				r.add(h)
				h.Reset()
			case number == s.intervals-1:
				r.all = h
			}
		})
		trials = append(trials, r.trial(i+1))
	}
	return trials
}

// cell returns one without a response.
func cell(repeat int) *results.Cell {
	c := &results.Cell{
		Plan:    plan.Cell{Target: plan.Target{Name: "nats"}, Shape: plan.Shape{Rate: 1000, Size: 1024, Connections: 1}, Repeat: repeat},
		Broker:  results.Broker{Product: "NATS", Settings: []results.Setting{{Name: "no-delay", Value: "true"}}},
		Verdict: results.Valid,
	}
	c.ID = c.Plan.ID()
	return c
}

func set(trials ...compare.Trial) *compare.Set {
	return &compare.Set{Dir: "results/x", Run: results.Run{Name: "x"}, Trials: trials}
}

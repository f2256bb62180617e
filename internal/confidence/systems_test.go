package confidence

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
)

const perSecond = 500

// A system makes the response times in ms of messages that are due every 2 ms. Stationary: its
// repeats have one distribution, whatever their length.
type system struct {
	name       string
	new        func(rng *rand.Rand, seconds, repeat int) func(i int) float64
	stationary bool
}

func lognormal(rng *rand.Rand, sigma float64) float64 { return math.Exp(sigma * rng.NormFloat64()) }

// queue is a server that is busy for rho of the time, with Poisson arrivals: each message takes
// the same time, or a log-normal one.
func queue(rho float64, general bool) func(*rand.Rand, int, int) func(int) float64 {
	return func(rng *rand.Rand, _, _ int) func(int) float64 {
		service := rho * 1000 / perSecond
		wait := 0.
		draw := func() float64 {
			s := service
			if general {
				s *= lognormal(rng, 1) / math.Exp(0.5)
			}
			return s
		}
		for range int(min(20/((1-rho)*(1-rho)), 100_000)) { // to equilibrium
			wait = max(wait+draw()-rng.ExpFloat64()*1000/perSecond, 0)
		}
		return func(int) float64 {
			s := draw()
			response := wait + s
			wait = max(wait+s-rng.ExpFloat64()*1000/perSecond, 0)
			return response
		}
	}
}

// pauses stops a system for so many seconds after an exponential time.
func pauses(length, every float64) func(*rand.Rand, int, int) func(int) float64 {
	return func(rng *rand.Rand, _, _ int) func(int) float64 {
		next := rng.ExpFloat64() * every
		if rng.Float64() < length/(length+every) {
			next = -rng.Float64() * length
		}
		return func(i int) float64 {
			due := float64(i) / perSecond
			for due >= next+length {
				next += length + rng.ExpFloat64()*every
			}
			v := 0.3 * lognormal(rng, 0.3)
			if due >= next {
				v += 1000 * (next + length - due)
			}
			return v
		}
	}
}

// spells is five times as slow for 3 s after 60 s, on average.
func spells(rng *rand.Rand, _, _ int) func(int) float64 {
	slow := rng.Float64() < 3./63
	next := func() float64 {
		if slow {
			return 3 * rng.ExpFloat64()
		}
		return 60 * rng.ExpFloat64()
	}
	left := next()
	return func(int) float64 {
		if left -= 1. / perSecond; left < 0 {
			slow = !slow
			left = next()
		}
		if slow {
			return 5 * lognormal(rng, 0.3)
		}
		return lognormal(rng, 0.3)
	}
}

// systems are the processes of the audit, and repeats that differ from each other.
func systems() []system {
	return []system{
		{"log-normal", func(rng *rand.Rand, _, _ int) func(int) float64 {
			return func(int) float64 { return lognormal(rng, 0.5) }
		}, true},
		{"M/D/1 50 %", queue(0.5, false), true},
		{"M/D/1 80 %", queue(0.8, false), true},
		{"M/D/1 98 %", queue(0.98, false), true},
		{"M/G/1 50 %", queue(0.5, true), true},
		{"M/G/1 80 %", queue(0.8, true), true},
		{"M/G/1 98 %", queue(0.98, true), true},
		{"50 ms every 5 s", pauses(0.05, 5), true},
		{"200 ms every 30 s", pauses(0.2, 30), true},
		{"500 ms every 60 s", pauses(0.5, 60), true},
		{"3 s in 63 five times as slow", spells, true},
		{"AR(1): 20 %, memory 10 s", func(rng *rand.Rand, _, _ int) func(int) float64 {
			level := rng.NormFloat64()
			phi := math.Exp(-1. / (10 * perSecond))
			step := math.Sqrt(1 - phi*phi)
			return func(int) float64 {
				level = phi*level + step*rng.NormFloat64()
				return math.Exp(0.2*level) * lognormal(rng, 0.3)
			}
		}, true},
		{"×1.5 from the middle on", func(rng *rand.Rand, seconds, _ int) func(int) float64 {
			return func(i int) float64 {
				v := lognormal(rng, 0.3)
				if i >= seconds*perSecond/2 {
					v *= 1.5
				}
				return v
			}
		}, false},
		{"one connection of ten ×3", func(rng *rand.Rand, _, _ int) func(int) float64 {
			return func(i int) float64 {
				v := lognormal(rng, 0.3)
				if i%10 == 0 {
					v *= 3
				}
				return v
			}
		}, true},
		{"half of the repeats ×1.3", func(rng *rand.Rand, _, _ int) func(int) float64 {
			f := 1.
			if rng.IntN(2) == 0 {
				f = 1.3
			}
			return func(int) float64 { return f * lognormal(rng, 0.3) }
		}, false},
		{"1 % slower each repeat", func(rng *rand.Rand, _, repeat int) func(int) float64 {
			f := math.Exp(0.01 * float64(repeat))
			return func(int) float64 { return f * lognormal(rng, 0.3) }
		}, false},
		{"repeats vary by 10 %", func(rng *rand.Rand, _, _ int) func(int) float64 {
			f := lognormal(rng, 0.1)
			return func(int) float64 { return f * lognormal(rng, 0.3) }
		}, false},
	}
}

// run returns the seconds of one repeat, up to each of some lengths, which are part of each
// other if the system is stationary.
func (s system) run(rng *rand.Rand, repeat int, lengths []int) []*Series {
	scratch, list := histogram.New(), make([]*Series, len(lengths))
	for i := range list {
		list[i] = new(Series)
	}
	if !s.stationary {
		for i, seconds := range lengths {
			s.record(rng, repeat, seconds, scratch, list[i:i+1], lengths[i:i+1])
		}
		return list
	}
	s.record(rng, repeat, lengths[len(lengths)-1], scratch, list, lengths)
	return list
}

func (s system) record(rng *rand.Rand, repeat, seconds int, scratch *histogram.Histogram, list []*Series, lengths []int) {
	next := s.new(rng, seconds, repeat)
	for second := range seconds {
		scratch.Reset()
		for i := range perSecond {
			scratch.Record(time.Duration(next(second*perSecond+i) * 1e6))
		}
		for i, length := range lengths {
			if second < length {
				list[i].Add(scratch)
			}
		}
	}
}

// truth returns the true percentiles of so many repeats of that length, from very many values.
func (s system) truth(seconds, repeats int, percentiles []float64) (list []time.Duration) {
	h, rng := histogram.New(), rand.New(rand.NewPCG(99, 99))
	many, messages, stride := 1, 20_000_000, 1
	switch {
	case s.name == "1 % slower each repeat": // these repeats alone
		many, messages = repeats, seconds*perSecond
	case !s.stationary:
		many, messages = 20_000, seconds*perSecond
		stride = messages / 500
	}
	for repeat := range many {
		next := s.new(rng, seconds, repeat)
		for i := 0; i < messages; i += stride {
			h.Record(time.Duration(next(i) * 1e6))
		}
	}
	for _, p := range percentiles {
		list = append(list, h.Quantile(p))
	}
	return list
}

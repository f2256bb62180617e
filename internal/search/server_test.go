package search_test

import (
	"context"
	"math"
	"math/rand/v2"
	"time"

	"github.com/brokerbench/brokerbench/internal/judge"
	"github.com/brokerbench/brokerbench/internal/search"
	"github.com/brokerbench/brokerbench/plan"
)

// A server takes one message after the other, in a simulation without an engine.
// Messages come as a Poisson process.
type server struct {
	mean       time.Duration // of the service time
	sigma      float64       // of its logarithm; 0: it is constant
	pause      time.Duration // for which it stands still
	every      time.Duration // between two pauses, on average, exponentially; 0: it never does
	pausesFrom float64       // the rate from which on it pauses
	vary       float64       // standard deviation of the logarithm of its speed, from probe to probe
	slower     float64       // how many times as slow it is after an overload; 0: it is not
	recovers   time.Duration // how long an overload makes it slow
	draw       *rand.Rand
	warmup     time.Duration

	now    time.Duration // since the search began
	heated time.Duration // until when it is slow
	factor float64       // of the service time, in this probe
}

// probe returns a function that measures on the server.
func (s *server) probe(objectives []plan.Objective) search.ProbeFunc {
	return func(_ context.Context, p search.Probe) (search.Probe, error) {
		s.now += p.Rest
		s.factor = math.Exp(s.vary * s.draw.NormFloat64())
		if s.now < s.heated {
			s.factor *= s.slower
		}
		seconds, reached := s.run(float64(p.Rate), p.Window, objectives)
		for i := range objectives {
			j := search.Judgement{Seconds: seconds[i]}
			if reached < 0.95 {
				j.Answer, j.Sure = search.Missed, true // as judge.Blame is of an overload
			}
			p.Answers = append(p.Answers, j)
		}
		p.Took = p.Rest + p.Window + s.warmup + 2*time.Second // floors, and new connections
		s.now += p.Took - p.Rest
		if s.slower > 0 && reached < 0.95 {
			s.heated = s.now + s.recovers
		}
		return p, nil
	}
}

// run follows Lindley's recursion through a warm-up and a window, in seconds. The
// server begins empty.
func (s *server) run(rate float64, window time.Duration, objectives []plan.Objective) (seconds [][]judge.Second, reached float64) {
	n := int((window + time.Second - 1) / time.Second)
	for range objectives {
		seconds = append(seconds, make([]judge.Second, n))
	}
	from, to := s.warmup.Seconds(), (s.warmup + window).Seconds()
	due, free, next, count := s.draw.ExpFloat64()/rate, 0.0, s.gap(), 0
	if rate < s.pausesFrom {
		next = math.Inf(1)
	}
	for ; due < to; due += s.draw.ExpFloat64() / rate {
		start := max(due, free)
		free, next = s.serve(start, next)
		if due < from {
			continue
		}
		count++
		took := time.Duration((free - due) * 1e9)
		for i, o := range objectives {
			second := &seconds[i][min(int(due-from), n-1)]
			second.Of++
			if !o.Holds(float64(took)) {
				second.Over++
			}
			second.Worst = max(second.Worst, took)
		}
	}
	return seconds, (to - from) / max(to-from, free-from)
}

// serve returns when a message is done whose service starts then, and when the next
// pause begins.
func (s *server) serve(start, pause float64) (free, next float64) {
	free = start + s.service()
	for pause < free {
		end := pause + s.pause.Seconds()
		if pause > start {
			free += end - pause
		} else if end > start {
			free += end - start
		}
		pause = end + s.gap()
	}
	return free, pause
}

func (s *server) service() float64 {
	mean := s.mean.Seconds() * s.factor
	if s.sigma == 0 {
		return mean
	}
	return mean * math.Exp(s.sigma*s.draw.NormFloat64()-s.sigma*s.sigma/2)
}

func (s *server) gap() float64 {
	if s.every == 0 {
		return math.Inf(1)
	}
	return s.draw.ExpFloat64() * s.every.Seconds()
}

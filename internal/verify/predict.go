package verify

import (
	"slices"
	"time"
)

// A prediction is the result of a cell by arithmetic.
type prediction struct {
	Due, Done int64
	Response  []time.Duration // of the window's messages that are done, ascending
}

func newPrediction(times []time.Duration, due int) prediction {
	slices.Sort(times)
	return prediction{Due: int64(due), Done: int64(len(times)), Response: times}
}

// predict works out the result of a scenario without noise, message by message: one
// is sent when it is due or, with one in flight, when the one before has its reply or
// has timed out; or when the sender is no longer held. The system's definition says
// when its reply comes.
func predict(s Scenario) prediction {
	var responses []time.Duration
	due := 0
	connections := s.Cell.Shape.Connections
	slots, free := make([]time.Duration, connections), time.Duration(0) // when each slot, and the sender, is free
	for n, at := range dues(s.Cell) {
		conn := n % connections
		free = max(at, free)
		if s.serial() {
			free = max(free, slots[conn])
		}
		free = max(free, held(s.Holds, free))
		done, dropped := s.System.ReplyAt(free), s.System.Drops(n/connections)
		slots[conn] = done
		if dropped {
			slots[conn] = free + s.Cell.Settings.Timeout
		}
		if at < s.Cell.Settings.Warmup {
			continue
		}
		if due++; !dropped {
			responses = append(responses, done-at)
		}
	}
	return newPrediction(responses, due)
}

// Percentile returns the response of rank ⌈percentile/100·Due⌉; ok is false if a
// message without a reply has that rank.
func (p prediction) Percentile(percentile float64) (v time.Duration, ok bool) {
	// Computed in thousandths of a percent, because these are whole numbers for all
	// compared percentiles: rounding 99.9/100 cannot move a rank.
	rank := (p.Due*int64(percentile*1000+0.5) + 99_999) / 100_000
	rank = max(rank, 1)
	if rank > p.Done {
		return 0, false
	}
	return p.Response[rank-1], true
}

func (p prediction) ns(percentile float64) *int64 {
	v, ok := p.Percentile(percentile)
	if !ok {
		return nil
	}
	ns := int64(v)
	return &ns
}

// Mean returns the mean response of the messages that are done.
func (p prediction) Mean() time.Duration {
	if p.Done == 0 {
		return 0
	}
	var sum time.Duration
	for _, r := range p.Response {
		sum += r
	}
	return sum / time.Duration(p.Done)
}

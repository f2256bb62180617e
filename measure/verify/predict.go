package verify

import (
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/plan/schedule"
)

// A Prediction is what a cell gives if nothing but the system takes time.
type Prediction struct {
	Due, Done int64
	Response  []time.Duration // of the ops of the window that are done, ascending
}

// Predict works out, op by op, what a scenario gives: an op is sent when it is
// due, or, with one in flight, when the one before has been answered or has
// timed out; the reply comes when the system's definition says. Overhead is what
// the round trip takes besides the system, which matters only where ops wait for
// each other, because there it adds up.
func Predict(s Scenario, overhead time.Duration) Prediction {
	var p Prediction
	var free time.Duration // when the slot is free
	n := 0
	for due := range s.Cell.Schedule().Offsets(schedule.Share{}) {
		sent := due
		if s.Serial() {
			sent = max(due, free)
		}
		done := s.System.ReplyAt(sent) + overhead
		dropped := s.System.Drops(n)
		free = done
		if dropped {
			free = sent + s.Cell.Settings.Timeout
		}
		n++
		if due < s.Cell.Settings.Warmup {
			continue
		}
		p.Due++
		if !dropped {
			p.add(done - due)
		}
	}
	slices.Sort(p.Response)
	return p
}

func (p *Prediction) add(response time.Duration) {
	p.Done++
	p.Response = append(p.Response, response)
}

// Percentile returns the response of rank ⌈percentile/100·Due⌉; ok is false
// where ops rank that are not done.
func (p Prediction) Percentile(percentile float64) (v time.Duration, ok bool) {
	// In thousandths of a percent the ranks of all percentiles that are compared
	// are whole numbers: no rounding of 99.9/100 can move one.
	rank := (p.Due*int64(percentile*1000+0.5) + 99_999) / 100_000
	rank = max(rank, 1)
	if rank > p.Done {
		return 0, false
	}
	return p.Response[rank-1], true
}

// Mean returns the mean response of the ops that are done.
func (p Prediction) Mean() time.Duration {
	if p.Done == 0 {
		return 0
	}
	var sum time.Duration
	for _, r := range p.Response {
		sum += r
	}
	return sum / time.Duration(p.Done)
}

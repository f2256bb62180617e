package verify

import (
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/plan/schedule"
)

// A prediction is the result of a cell in which only the system takes time.
type prediction struct {
	Due, Done int64
	Response  []time.Duration // of the window's messages that are done, ascending
}

// predict works out the result of a scenario, message by message: one is sent when
// it is due or, with one in flight, when the one before has its reply or has timed
// out. The system's definition says when its reply comes. Overhead is what a round
// trip takes besides the system. It matters only where messages wait for each
// other, because it adds up there.
func predict(s Scenario, overhead time.Duration) prediction {
	var p prediction
	var free time.Duration // when the slot is free
	n := 0
	for due := range s.Cell.Schedule().Offsets(schedule.Share{}) {
		sent := due
		if s.serial() {
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

func (p *prediction) add(response time.Duration) {
	p.Done++
	p.Response = append(p.Response, response)
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

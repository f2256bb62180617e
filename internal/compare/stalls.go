package compare

import (
	"fmt"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/internal/stats"
	"github.com/brokerbench/brokerbench/results"
)

// Stalls compare the pauses of both sides.
type Stalls struct {
	Base   *Paused `json:"base"` // null: not counted, in at least one run of either side
	New    *Paused `json:"new"`
	Answer Answer  `json:"answer"` // more pauses, fewer pauses, no difference shown, or not judged
	Reason string  `json:"reason,omitempty"`
	// Chance is the p-value: how likely the runs of two equal sides differ as much; 1 if they
	// are not judged. If m pairs are judged together, the first answer takes 0.05/m.
	Chance float64 `json:"chance"`
}

// Paused sums up the pauses of one side. It counts seconds and not pauses, since
// consecutive seconds are one pause: a longer pause must not count less.
type Paused struct {
	LeastNS  int64 `json:"least_ns"`  // the shortest response that counts, in all runs
	Runs     int   `json:"runs"`      // how many runs had any
	Seconds  int64 `json:"seconds"`   // of all runs, in which there was a pause
	WindowNS int64 `json:"window_ns"` // of all runs
	tally    tally // by seconds
}

func (c couple) stalls() Stalls {
	s := Stalls{Answer: NotJudged, Chance: 1}
	trials := slices.Concat(c.base.trials, c.next.trials)
	least := int64(0)
	for _, t := range trials {
		if p := t.Cell.Pauses; p != nil {
			least = max(least, p.LeastNS)
		}
	}
	if s.Reason = c.reason(0, interrupted, uncounted(least)); s.Reason != "" {
		return s
	}
	s.Base, s.New = c.base.paused(least), c.next.paused(least)
	if c.method() == OneASide || c.method() == OneAgainst {
		s.Reason = "one run a side"
	}
	return s
}

// uncounted doubts runs whose pauses of at least this length are unknown.
func uncounted(least int64) doubt {
	return func(t Trial, _ results.Percentile, _ int) string {
		switch p := t.Cell.Pauses; {
		case p == nil:
			return ": pauses were not counted"
		case p.WindowNS <= 0:
			return ": no window"
		case p.LeastNS != least && !listed(p, least):
			return fmt.Sprintf(": too many pauses to count those from %s", time.Duration(least))
		}
		return ""
	}
}

func interrupted(t Trial, _ results.Percentile, _ int) string {
	if t.Cell.Interrupted {
		return " was interrupted"
	}
	return ""
}

func empty(t Trial, _ results.Percentile, _ int) string {
	if t.Cell.Ledger.Due == 0 {
		return ": no message was due"
	}
	return ""
}

func (g group) paused(least int64) *Paused {
	sum := &Paused{LeastNS: least}
	for _, t := range g.trials {
		p := t.Cell.Pauses
		seconds := p.Seconds
		if p.LeastNS != least {
			shorter := func(one results.Pause) bool { return one.ForNS < least }
			seconds = int64(len(slices.DeleteFunc(slices.Clone(p.Longest), shorter)))
		}
		if seconds > 0 {
			sum.Runs++
		}
		sum.Seconds += seconds
		sum.WindowNS += p.WindowNS
		sum.tally.add(float64(seconds), float64(p.WindowNS)/1e9)
	}
	return sum
}

// listed reports whether all seconds with responses of at least this length are listed:
// shorter ones are left out first.
func listed(p *results.Pauses, least int64) bool {
	return int64(len(p.Longest)) == p.Seconds ||
		slices.ContainsFunc(p.Longest, func(one results.Pause) bool { return one.ForNS < least })
}

// judgePauses answers where pauses became more or fewer, all pairs together.
func (c *Comparison) judgePauses(couples []couple) {
	type question struct {
		*Stalls
		above bool
	}
	var open []question
	for i, couple := range couples {
		s := &c.Pairs[i].Pauses
		if *s = couple.stalls(); s.Reason != "" {
			continue
		}
		var q question
		q.Stalls, s.Answer = s, NoDifference
		s.Chance, q.above = stats.RankSum(s.Base.tally.rates(), s.New.tally.rates())
		open = append(open, q)
	}
	c.JudgedPauses = len(open)
	stats.Holm(open, Confidence, func(q question, level float64) bool {
		if q.Chance > 1-level {
			return false
		}
		q.Answer = FewerPauses
		if q.above {
			q.Answer = MorePauses
		}
		return true
	})
}

package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/brokerbench/brokerbench/internal/holm"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// A FaultRow is what one fault did on both sides, in one respect.
type FaultRow struct {
	Fault string `json:"fault"`
	What  string `json:"what"` // no acks, no deliveries, or p99 back
	// Time is how long that was: a row like that of a percentile, whose Percentile is 0. Its family is
	// its own, as that of the gates is.
	Time Row `json:"time"`
}

// Lost says how many messages that were acknowledged are lost on both sides, in all runs.
type Lost struct {
	Base int64 `json:"base"`
	New  int64 `json:"new"`
}

// An aspect is a time that a fault took, and why it cannot be compared; "" if it can.
type aspect struct {
	what string
	of   func(*results.Harm) (ns int64, reason string)
}

func aspects() []aspect {
	return []aspect{
		{"no acks", func(h *results.Harm) (int64, string) { return outage(h.Acks) }},
		{"no deliveries", func(h *results.Harm) (int64, string) { return outage(h.Deliveries) }},
		{"p99 back", recovery},
	}
}

func outage(o *results.Outage) (ns int64, reason string) {
	switch {
	case o == nil:
		return 0, ": not known"
	case !o.Shown:
		return 0, ": no outage is shown"
	case !o.Over():
		return 0, ": not over at the end"
	}
	return o.ForNS, ""
}

func recovery(h *results.Harm) (ns int64, reason string) {
	switch {
	case h.RecoveredNS == nil:
		return 0, ": p99 was not back, or is not known"
	case *h.RecoveredNS <= 0:
		return 0, ": p99 never left"
	}
	return *h.RecoveredNS, ""
}

// faults returns the rows of all faults of a couple; those that can be judged have no answer
// yet, and a question.
func (c couple) faults() (rows []FaultRow, lines []lineup) {
	n := len(c.base.trials[0].Cell.Faults)
	for i := range n {
		for _, a := range aspects() {
			r := FaultRow{Fault: c.base.trials[0].Cell.Faults[i].Plan.String(), What: a.what}
			base, why := c.base.lasted("BASE", i, a)
			next, whyNew := c.next.lasted("NEW", i, a)
			if base == nil && next == nil && strings.HasSuffix(why, ": not known") && strings.HasSuffix(whyNew, ": not known") {
				continue // a system that acknowledges nothing
			}
			r.Time.BaseNS, r.Time.NewNS = shown(base, 0), shown(next, 0)
			if r.Time.Reason = why + whyNew; why != "" && whyNew != "" {
				r.Time.Reason = why + "; " + whyNew
			}
			switch {
			case r.Time.Reason != "":
				r.Time.Answer = NotComparable
			case min(len(base), len(next)) < 2:
				r.Time.Answer, r.Time.Reason = NotComparable, "one run a side"
			}
			rows, lines = append(rows, r), append(lines, lineup{base: base, next: next})
		}
	}
	return rows, lines
}

// lasted returns the logarithms of how long something took in every run; nil, and why, if that
// is not known of any.
func (g group) lasted(side string, fault int, a aspect) (values []float64, reason string) {
	for _, t := range g.trials {
		if fault >= len(t.Cell.Faults) || t.Cell.Faults[fault].Harm == nil {
			return nil, g.which(side, t) + ": the fault was not made"
		}
		ns, why := a.of(t.Cell.Faults[fault].Harm)
		if why != "" {
			return nil, g.which(side, t) + why
		}
		values = append(values, math.Log(float64(ns)))
	}
	return values, ""
}

// judgeFaults answers where faults took longer or not as long, all together.
func (c *Comparison) judgeFaults(couples []couple) {
	var open []question
	for i, couple := range couples {
		p := &c.Pairs[i]
		var lines []lineup
		p.Faults, lines = couple.faults()
		for j := range p.Faults {
			if r := &p.Faults[j].Time; r.Answer == "" {
				open = append(open, question{r, couple, lines[j], new(estimate)})
			}
		}
		p.Lost = couple.lost()
	}
	c.JudgedFaults = len(open)
	holm.StepDown(open, Confidence, func(q question, level float64) bool {
		*q.estimate = q.of.estimate(q.lineup, level, 0)
		q.answer(*q.estimate, q.of.method())
		return q.Answer != NoDifference
	})
	for _, q := range open {
		q.Shows, q.RepeatsFor10 = q.estimate.shows(), q.estimate.repeatsFor(tenPercent)
		switch q.Answer { //nolint:exhaustive // no other answer is about a time
		case Slower:
			q.Answer = Longer
		case Faster:
			q.Answer = Shorter
		}
	}
}

// lost counts what was acknowledged and is lost; nil if neither side knows any, or one does not
// know.
func (c couple) lost() *Lost {
	base, known := c.base.missing()
	next, knownNew := c.next.missing()
	if !known || !knownNew || base+next == 0 {
		return nil
	}
	return &Lost{base, next}
}

func (g group) missing() (n int64, known bool) {
	for _, t := range g.trials {
		if t.Cell.Audit == nil || t.Cell.Audit.Error != "" {
			return 0, false
		}
		n += t.Cell.Audit.Missing
	}
	return n, true
}

// broken writes what a plan breaks.
func broken(faults []plan.Fault) string {
	texts := make([]string, len(faults))
	for i, f := range faults {
		texts[i] = f.String()
		for _, part := range []struct {
			set  bool
			text string
		}{
			{f.For > 0, fmt.Sprintf("for %v", f.For)},
			{f.Restart > 0, fmt.Sprintf("restart %v", f.Restart)},
			{f.Delay > 0, fmt.Sprintf("delay %v", f.Delay)},
			{f.Jitter > 0, fmt.Sprintf("jitter %v", f.Jitter)},
			{f.Loss > 0, fmt.Sprintf("loss %v", f.Loss)},
			{f.Throttle > 0, fmt.Sprintf("throttle %d B/s", f.Throttle)},
		} {
			if part.set {
				texts[i] += " " + part.text
			}
		}
	}
	if len(texts) == 0 {
		return "none"
	}
	return strings.Join(slices.Clip(texts), ", ")
}

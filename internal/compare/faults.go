package compare

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/brokerbench/brokerbench/internal/stats"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// A FaultRow compares one effect of a fault on both sides.
type FaultRow struct {
	Fault string `json:"fault"`
	What  string `json:"what"` // no acks, no deliveries, or p99 back
	// Time is the row of how long it lasted; its Percentile is 0. These rows are a family of
	// their own, like the gates.
	Time Row `json:"time"`
}

// Lost counts the acknowledged messages of all runs that are lost.
type Lost struct {
	Base int64 `json:"base"`
	New  int64 `json:"new"`
}

// An aspect is a time that a fault took. Its reason says why it cannot be compared, or "".
type aspect struct {
	what string
	of   func(*results.Impact) (ns int64, reason string)
}

func aspects() []aspect {
	return []aspect{
		{"no acks", func(h *results.Impact) (int64, string) { return outage(h.Acks) }},
		{"no deliveries", func(h *results.Impact) (int64, string) { return outage(h.Deliveries) }},
		{"p99 back", recovery},
	}
}

func outage(o *results.Outage) (ns int64, reason string) {
	switch {
	case o == nil || o.Unknown:
		return 0, ": not known"
	case !o.Shown:
		return 0, ": no outage is shown"
	case !o.Over():
		return 0, ": not over at the end"
	}
	return o.ForNS, ""
}

func recovery(h *results.Impact) (ns int64, reason string) {
	switch {
	case h.RecoveredNS == nil:
		return 0, ": p99 was not back, or is not known"
	case *h.RecoveredNS <= 0:
		return 0, ": p99 never left"
	}
	return *h.RecoveredNS, ""
}

// faults returns the rows of all faults of a couple, with their samples. A row that can be
// judged has no answer yet.
func (c couple) faults() (rows []FaultRow, samples []sample) {
	n := len(c.base.trials[0].Cell.Faults)
	for i := range n {
		for _, a := range aspects() {
			r := FaultRow{Fault: c.base.trials[0].Cell.Faults[i].Plan.String(), What: a.what}
			base, why := c.base.lasted(i, a)
			next, whyNew := c.next.lasted(i, a)
			if base == nil && next == nil && strings.HasSuffix(why, ": not known") && strings.HasSuffix(whyNew, ": not known") {
				continue // a system that acknowledges nothing
			}
			s := sample{base: base, next: next}
			r.Time.BaseNS, r.Time.NewNS, s.shown = geometric(base), geometric(next), mean(next)-mean(base)
			if r.Time.Reason = why + whyNew; why != "" && whyNew != "" {
				r.Time.Reason = why + "; " + whyNew
			}
			switch {
			case r.Time.Reason != "":
				r.Time.Answer = NotComparable
			case min(len(base), len(next)) < 2:
				r.Time.Answer, r.Time.Reason = NotComparable, "one run a side"
			}
			rows, samples = append(rows, r), append(samples, s)
		}
	}
	return rows, samples
}

// lasted returns the logarithms of how long an aspect took in every run; nil, and the
// reason, if it is unknown for any.
func (g group) lasted(fault int, a aspect) (values []float64, reason string) {
	for _, t := range g.trials {
		if fault >= len(t.Cell.Faults) || t.Cell.Faults[fault].Impact == nil {
			return nil, g.which(t) + ": the fault was not made"
		}
		ns, why := a.of(t.Cell.Faults[fault].Impact)
		if why != "" {
			return nil, g.which(t) + why
		}
		values = append(values, math.Log(float64(ns)))
	}
	return values, ""
}

func mean(values []float64) float64 {
	v, _ := stats.Moments(values)
	return v
}

// geometric returns the geometric mean of values, which are logarithms, in nanoseconds; nil
// for none.
func geometric(values []float64) *int64 {
	if len(values) == 0 {
		return nil
	}
	return new(int64(math.Round(math.Exp(mean(values)))))
}

// judgeFaults answers which times after faults are longer or shorter, all together.
func (c *Comparison) judgeFaults(couples []couple) {
	var open []question
	for i, couple := range couples {
		p := &c.Pairs[i]
		var samples []sample
		p.Faults, samples = couple.faults()
		for j := range p.Faults {
			if r := &p.Faults[j].Time; r.Answer == "" {
				open = append(open, question{r, couple, samples[j]})
			}
		}
		p.Lost = couple.lost()
	}
	c.JudgedFaults = len(open)
	answerAll(open)
	for _, q := range open {
		switch q.Answer { //nolint:exhaustive // no other answer is about a time
		case Slower:
			q.Answer = Longer
		case Faster:
			q.Answer = Shorter
		}
	}
}

// lost counts the acknowledged messages that are lost; nil if there are none, or if it is
// unknown on either side.
func (c couple) lost() *Lost {
	var sum Lost
	for _, g := range []group{c.base, c.next} {
		for _, t := range g.trials {
			a := t.Cell.Audit
			if a == nil || a.Error != "" || a.Discarded > 0 {
				return nil
			}
			if g.side == "BASE" {
				sum.Base += a.Missing
			} else {
				sum.New += a.Missing
			}
		}
	}
	if sum == (Lost{}) {
		return nil
	}
	return &sum
}

func faultPlan(faults []plan.Fault) string {
	var texts []string
	for _, f := range faults {
		text := f.String()
		add := func(set bool, format string, value any) {
			if set {
				text += fmt.Sprintf(" "+format, value)
			}
		}
		add(f.For > 0, "for %v", f.For)
		add(f.Restart > 0, "restart %v", f.Restart)
		add(f.Delay > 0, "delay %v", f.Delay)
		add(f.Jitter > 0, "jitter %v", f.Jitter)
		add(f.Loss > 0, "loss %v", f.Loss)
		add(f.Throttle > 0, "throttle %d B/s", f.Throttle)
		texts = append(texts, text)
	}
	return cmp.Or(strings.Join(texts, ", "), "none")
}

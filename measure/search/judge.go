package search

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

const (
	reached  = 0.99 // of what was due: if waits grew as well, they do so with the length of the run, and no rate is kept
	grew     = 0.25 // of the maximum: where the median is from here on, waits grew
	ownShare = 0.5  // of a response: from here on it is the generator's lag, or a hiccup
	noisy    = 99.9 // percentiles from which on what the hypervisor took explains a miss

	soon       = 0.1 // of the lag: what takes no longer to be answered was not queued at the target
	senderBusy = 0.8 // of a core for each sender: one that uses less is held up by the target
)

// Judge says, for each objective of a cell, whether it was kept, and whose limit
// it is if it was not. A cell that fell behind its rate all the time, or is invalid,
// keeps nothing. The client is the limit if it does no better against a TCP echo
// (the cell's floor), if it used up its cores, or if half of the response and
// more is its own lag. Of a cell that fell behind its rate, lag alone does not
// say whose limit it is, since an overloaded target holds up the sender: then the
// client is the limit only if it was busy and what it sent was answered soon.
func Judge(c *results.Cell) []Judgement {
	list := make([]Judgement, len(c.SLOs))
	for i, s := range c.SLOs {
		list[i] = judge(c, s)
		list[i].Measured = measured(c, s)
	}
	return list
}

func judge(c *results.Cell, s results.SLO) Judgement {
	if s.Outcome == results.Passed && (!falling(c) || s.Objective.Metric == "rate") {
		return Judgement{Answer: Kept}
	}
	if why := floorFails(c, s.Objective); why != "" {
		return Judgement{Answer: Client, Reason: why}
	}
	if p, found := has(c, "process-cpu"); found {
		return Judgement{Answer: Client, Reason: p.Text}
	}
	if falling(c) {
		p, _ := has(c, "rate")
		return overload(c, p.Severity == results.Invalid)
	}
	if why := lagExplains(c, s.Objective); why != "" {
		return Judgement{Answer: Client, Reason: why}
	}
	return blame(c, s)
}

// overload judges a cell that did not reach its rate.
func overload(c *results.Cell, sure bool) Judgement {
	if why := senderFails(c); why != "" {
		return Judgement{Answer: Client, Reason: why}
	}
	return Judgement{Answer: Missed, Sure: sure, Reason: crowded(c, fmt.Sprintf("reached %.0f/s", c.ReachedPerS))}
}

// senderFails says why it was the sender that did not reach the rate: what was due
// waited for it, and what it sent was answered soon. A target that takes no more
// holds up the sender, too, but then what is in its buffers takes long, and the
// sender, which waits, uses no core.
func senderFails(c *results.Cell) string {
	late, known := at(c.Lag, 50)
	service, answered := at(c.Service, 50)
	response, all := at(c.Response, 50)
	if !known || !answered || !all || float64(late) < ownShare*float64(response) || float64(service) > soon*float64(late) {
		return ""
	}
	senders := max(c.Plan.Settings.Senders, 1)
	if c.Usage != nil && c.Usage.Process.CPUCores < senderBusy*float64(senders) {
		return ""
	}
	return fmt.Sprintf("the generator sent late, reached %.0f/s: lag p50 is %v, service p50 %v", c.ReachedPerS, short(late), short(service))
}

// crowded adds to a reason that the machine had no core to spare: what shares it
// with the target is part of the answer.
func crowded(c *results.Cell, reason string) string {
	p, found := has(c, "machine-cpu")
	switch {
	case !found:
		return reason
	case reason == "":
		return p.Text
	}
	return reason + "; " + p.Text
}

// blame judges what neither the client nor an overload explains.
func blame(c *results.Cell, s results.SLO) Judgement {
	if why := noise(c, s.Objective); why != "" {
		return Judgement{Answer: Unclear, Reason: why}
	}
	if s.Outcome == results.Missed {
		return Judgement{Answer: Missed, Reason: crowded(c, "")}
	}
	if p, found := has(c, "missing"); found && c.Verdict == results.Invalid {
		return Judgement{Answer: Missed, Reason: p.Text}
	}
	return Judgement{Answer: Unclear, Reason: s.Text}
}

// noise says what else on this machine explains that a percentile is missed; "" if
// nothing does.
func noise(c *results.Cell, o plan.Objective) string {
	if o.Metric != "" {
		return ""
	}
	if c.Hiccup != nil {
		stood, _ := at(*c.Hiccup, o.Percentile)
		if value, known := at(c.Response, o.Percentile); known && float64(stood) >= ownShare*float64(value) {
			return fmt.Sprintf("this process itself stood still: hiccup p%v is %v", o.Percentile, short(stood))
		}
	}
	for _, code := range []string{"steal", "throttled"} {
		if p, found := has(c, code); found && o.Percentile >= noisy {
			return p.Text
		}
	}
	return ""
}

// falling tells whether a cell fell behind its rate all the time.
func falling(c *results.Cell) bool {
	return c.ReachedPerS < reached*c.OfferedPerS && growing(c.Response)
}

// growing tells whether waits grew all the time, as in an overload, of which the
// median is half of the maximum: what is behind because it stood still at the end
// of the window is not overloaded.
func growing(response results.Distribution) bool {
	median, known := at(response, 50)
	return known && float64(median) >= grew*float64(response.MaxNS)
}

// floorFails says why this client cannot do it against a TCP echo either; "" if
// it can, or if that is not known.
func floorFails(c *results.Cell, o plan.Objective) string {
	if c.Floor == nil {
		return ""
	}
	echo := c.Floor.Echo
	if echo.ReachedPerS < reached*float64(c.Plan.Shape.Rate) && growing(echo.Response) {
		return fmt.Sprintf("this client reached only %.0f/s against a TCP echo", echo.ReachedPerS)
	}
	row, _ := echo.Response.At(o.Percentile)
	value, known := row.Value()
	if o.Series == "response" && known && row.Trusted && o.Percentile < 100 && !o.Holds(float64(value)) {
		return fmt.Sprintf("a TCP echo in place of the target has p%v %v", o.Percentile, short(value))
	}
	return ""
}

// lagExplains says by how much the generator was late; "" if that does not make
// the objective miss.
func lagExplains(c *results.Cell, o plan.Objective) string {
	if o.Series != "response" || o.Percentile >= 100 {
		return ""
	}
	late, known := at(c.Lag, o.Percentile)
	response, all := at(c.Response, o.Percentile)
	if !known || !all || float64(late) < ownShare*float64(response) {
		return ""
	}
	return fmt.Sprintf("the generator was late: lag p%v is %v", o.Percentile, short(late))
}

func at(d results.Distribution, percentile float64) (time.Duration, bool) {
	row, _ := d.At(percentile)
	return row.Value()
}

func has(c *results.Cell, code string) (results.Problem, bool) {
	i := slices.IndexFunc(c.Problems, func(p results.Problem) bool { return p.Code == code })
	if i < 0 {
		return results.Problem{}, false
	}
	return c.Problems[i], true
}

// measured writes the value that the objective limits.
func measured(c *results.Cell, s results.SLO) string {
	o := s.Objective
	if o.Metric != "" {
		text, _, _ := strings.Cut(s.Text, ";")
		return text
	}
	d := c.Response
	switch o.Series {
	case "service":
		d = c.Service
	case "lag":
		d = c.Lag
	}
	value, known := at(d, o.Percentile)
	if !known {
		return "?"
	}
	return short(value).String()
}

// short rounds to three digits and more.
func short(d time.Duration) time.Duration {
	for unit := time.Duration(1); ; unit *= 10 {
		if d < 10_000*unit {
			return d.Round(unit)
		}
	}
}

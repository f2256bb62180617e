package judge

import (
	"fmt"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/results"
)

// rate: messages were done more slowly than they were due, so response times
// depend on the length of the run.
func rate(c *results.Cell) results.Problem {
	if s := c.Steady; s.Diverges() {
		limit := "the target"
		if ownLimit(c) != "" {
			limit = "this client"
		}
		return spoils(c, results.Invalid,
			"the queue grew all the time, by %s ms a second: %s/s were due, and %s can do about %s/s; response times depend on how long the run was",
			words.Millis(time.Duration(s.GrowsNSPer)), words.Rate(c.OfferedPerS), limit, words.Rate(s.CapacityPS))
	}
	if c.Steady != nil && c.Steady.Growing != nil {
		return someGrew(c, c.Steady.Growing)
	}
	if keepsUp(c.ReachedPerS, c.OfferedPerS) || onlyLost(c) {
		return nearCapacity(c)
	}
	const text = "%s/s were due and %s/s done (%.1f %%): %s, and response times depend on how long the run was"
	part := c.ReachedPerS / c.OfferedPerS
	severity, whose := results.Suspect, "the target was behind at the end"
	if part < rateOverload && (waitsGrew(c.Response) || c.Response.MaxNS == 0) {
		severity, whose = results.Invalid, "the target does not carry this rate"
	}
	if severity == results.Suspect && shortOfCPU(c) {
		whose = "messages were behind at the end, and this machine was short of CPU: whether the target was late is not decided"
	}
	if reason := ownLimit(c); reason != "" {
		whose = fmt.Sprintf("but %s: it is the limit", reason)
	}
	if severity == results.Invalid {
		return spoils(c, severity, text, words.Rate(c.OfferedPerS), words.Rate(c.ReachedPerS), 100*part, whose)
	}
	return when(true, severity, text, words.Rate(c.OfferedPerS), words.Rate(c.ReachedPerS), 100*part, whose)
}

// someGrew: the queues of some connections grew all the time. Their messages are those that waited longest.
func someGrew(c *results.Cell, g *results.Growing) results.Problem {
	share := float64(g.Connections) / float64(g.Of)
	severity := results.Suspect
	if slices.ContainsFunc(c.Plan.Settings.Asked(), func(p float64) bool { return p < 100 && 100-p <= 100*share }) {
		severity = results.Invalid
	}
	return results.Problem{Severity: severity, Limits: within(c, share), Text: fmt.Sprintf(
		"the queues of %d of %d connections grew all the time, by up to %s ms a second: the response times of their messages depend on how long the run was",
		g.Connections, g.Of, words.Millis(time.Duration(g.GrowsNSPer)))}
}

// nearCapacity: the queue grew, and whether it goes on like that is not decided.
func nearCapacity(c *results.Cell) results.Problem {
	s := c.Steady
	if s == nil || s.GrowsNSPer == 0 {
		return results.Problem{}
	}
	return when(true, results.Suspect, "the queue grew by %s ms a second, as it does at %s/s if the target can do %s/s, or for a while if it can do a little more: not decided; measure for longer",
		words.Millis(time.Duration(s.GrowsNSPer)), words.Rate(c.OfferedPerS), words.Rate(s.CapacityPS))
}

// onlyLost tells whether all that was not done in time was lost after it had been sent:
// that is no lack of speed, and the rule of missing messages says it.
func onlyLost(c *results.Cell) bool {
	d := c.Response
	return d.Count > 0 && d.Missing > 0 && c.Ledger.Unsent == 0 &&
		keepsUp(c.ReachedPerS*float64(d.Count+d.Missing)/float64(d.Count), c.OfferedPerS)
}

// ownLimit says why it is this client that does not carry the rate: it does not carry it against
// a TCP echo either, or its senders never waited and yet left messages unsent. It is "" if nothing
// says so.
func ownLimit(c *results.Cell) string {
	if f := c.Floor; f != nil && !echoKeepsUp(f.Echo) && (waitsGrew(f.Echo.Response) || nothingCame(f.Echo)) {
		return reachedOnly(f.Echo)
	}
	if c.Ledger.Unsent > 0 && c.SenderCores > 0 && !sendersIdle(c) {
		return fmt.Sprintf("this client sent all the time, and %d messages were left unsent", c.Ledger.Unsent)
	}
	return ""
}

// keepsUp tells whether a rate was reached.
func keepsUp(reached, offered float64) bool { return reached >= rateReached*offered }

// fellBehind tells whether a cell fell behind its rate all the time. One that is
// behind because it stood still at the end of the window did not.
func fellBehind(c *results.Cell) bool {
	return c.Steady.Diverges() || !keepsUp(c.ReachedPerS, c.OfferedPerS) && waitsGrew(c.Response)
}

// waitsGrew tells whether response times grew all the time, as in an overload.
func waitsGrew(response results.Distribution) bool {
	median, known := value(response, 50)
	return known && float64(median) >= growth*float64(response.MaxNS)
}

// drifting: response times rose or fell over the window, or changed for a part of it, so
// percentiles depend on when it was.
func drifting(c *results.Cell) results.Problem {
	s := c.Steady
	switch {
	case s == nil || !s.Sure && s.Level == nil:
		return results.Problem{}
	case !s.Sure:
		l := s.Level
		return when(true, results.Suspect, "not steady: p50 from %.1f to %.1f s of the window is %.3g times that of the rest", float64(l.FromNS)/1e9, float64(l.ToNS)/1e9, l.P50Change)
	}
	moved, by := "rose", s.P50Change-1
	if by < 0 {
		moved, by = "fell", -by
	}
	return when(true, results.Suspect, "not steady: p50 %s by %.0f %% over the window", moved, 100*by)
}

// cold: the window began before the target was warm.
func cold(c *results.Cell) results.Problem {
	s := c.Steady
	if s == nil || s.ColdNS == 0 {
		return results.Problem{}
	}
	remedy := "warm up for longer (--warmup)"
	if c.Plan.Shape.Section > 1 {
		remedy = "the rate had just changed"
	}
	return when(true, results.Suspect, "p50 is %s ms in the first %v of the window and %s ms after it: %s",
		words.Millis(time.Duration(s.ColdP50NS)), time.Duration(s.ColdNS).Round(100*time.Millisecond), words.Millis(time.Duration(s.WarmP50NS)), remedy)
}

// nearFloor: a part of the result is what the tool and the kernel take without a broker. Callers
// wait for that, too, so it is only a doubt if it is most of the result.
func nearFloor(c *results.Cell) results.Problem {
	above := func(share float64) ([]results.Limit, results.Percentile) {
		return ofResponse(c, func(row results.Percentile) bool {
			floor, known := floorAt(c, row.Percentile)
			return known && float64(floor) >= share*float64(*row.ValueNS)
		})
	}
	limits, row := above(floorShare)
	whose := "most of it is the tool and the kernel"
	if limits == nil {
		_, row = above(shareShown)
		whose = "so much of it is the tool and the kernel"
	}
	if row.ValueNS == nil {
		return results.Problem{}
	}
	result, _ := row.Value()
	floor, _ := floorAt(c, row.Percentile)
	return results.Problem{Severity: results.Valid, Limits: limits, Text: fmt.Sprintf("%s is %s ms, and %s in place of the broker takes %s ms (%.0f %%): %s",
		words.Percentile(row.Percentile), words.Millis(result), c.Floor.What(), words.Millis(floor), 100*float64(floor)/float64(result), whose)}
}

// floorAt returns the floor of a percentile. It is not known if the floor has too few
// messages for it, or did not carry the rate, or is above the result, which it cannot
// be. The maximum of a second says nothing about that of a window.
func floorAt(c *results.Cell, percentile float64) (floor time.Duration, known bool) {
	if c.Floor == nil || percentile == 100 || !echoKeepsUp(c.Floor.Echo) {
		return 0, false
	}
	row, _ := c.Floor.Echo.Response.At(percentile)
	floor, known = row.Value()
	result, _ := value(c.Response, percentile)
	return floor, known && row.Trusted && floor <= result
}

// noFloor says why there is a floor and yet none that can be used at any percentile
// that was asked for, and "" if there is one.
func noFloor(c *results.Cell) string {
	if c.Floor == nil {
		return ""
	}
	if !echoKeepsUp(c.Floor.Echo) {
		return reachedOnly(c.Floor.Echo)
	}
	for _, percentile := range c.Plan.Settings.Asked() {
		if _, known := floorAt(c, percentile); known {
			return ""
		}
	}
	return "the floor is above the result, or has too few messages"
}

// echoKeepsUp tells whether a floor reached the rate that was due in its own window.
func echoKeepsUp(echo results.FloorRun) bool { return keepsUp(echo.ReachedPerS, echo.OfferedPerS) }

func nothingCame(echo results.FloorRun) bool {
	return echo.ReachedPerS == 0 && echo.Response.MaxNS == 0
}

// reachedOnly says how far this client comes without a broker.
func reachedOnly(echo results.FloorRun) string {
	if nothingCame(echo) {
		return "this client got no message back in time from a TCP echo either"
	}
	return fmt.Sprintf("this client reached only %s/s against a TCP echo", words.Rate(echo.ReachedPerS))
}

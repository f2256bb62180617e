package judge

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/confidence"
	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/results"
)

// interrupted: the numbers are those of a shorter window than the plan asked for, and the other
// rules judge that.
func interrupted(c *results.Cell) results.Problem {
	return when(c.Interrupted && c.Ledger.Due > 0, results.Valid, "interrupted after %v of %v: %d messages were due until then",
		c.DueFor().Round(100*time.Millisecond), c.Plan.Settings.Duration, c.Ledger.Due)
}

// empty: the schedule had no message for the window.
func empty(c *results.Cell) results.Problem {
	text := "no message was due in the window"
	if c.Interrupted {
		text = "interrupted before a message of the window was due"
	}
	shape := c.Plan.Shape
	if gap, ok := shape.Rate.After(1); ok && !c.Interrupted && gap > c.Plan.Settings.Duration && shape.Arrivals.Even() {
		text += fmt.Sprintf(": at %v a window of %v has one", shape.Rate, gap)
	}
	return when(c.Ledger.Due == 0, results.Invalid, "%s", text)
}

// unaccounted: the outcome of a message is unknown, so no number can be relied on.
func unaccounted(c *results.Cell) results.Problem {
	l := c.Ledger
	if l.Due == l.Done+l.Failed+l.Lost+l.Unsent && l.Done == c.Response.Count {
		return results.Problem{}
	}
	return spoils(c, results.Invalid,
		"%d messages were due, but %d done, %d failed, %d lost and %d unsent, and %d in the histogram: a mistake in brokerbench; please report it",
		l.Due, l.Done, l.Failed, l.Lost, l.Unsent, c.Response.Count)
}

// missing: messages that are not done rank above every reply. Where they reach a
// percentile that was asked for, it is unknown.
func missing(c *results.Cell) results.Problem {
	l := c.Ledger
	if l.Due == 0 || l.Missing() == 0 {
		return results.Problem{}
	}
	severity := results.Suspect
	for _, p := range c.Plan.Settings.Asked() {
		if row, ok := c.Response.At(p); ok && row.ValueNS == nil {
			severity = results.Invalid
		}
	}
	text := fmt.Sprintf("%d of %d messages are missing (%.4f %%): %d failed, %d lost, %d unsent",
		l.Missing(), l.Due, 100*float64(l.Missing())/float64(l.Due), l.Failed, l.Lost, l.Unsent)
	if n := c.Strays.Late; n > 0 {
		text += fmt.Sprintf("; %d of these were answered later than %v after they were sent, with more waiting than are kept", n, 2*c.Plan.Settings.Timeout)
	}
	for _, g := range c.Groups {
		if owed := g.Owed(); owed != "" {
			text += "; " + owed
		}
	}
	if len(c.Failures) > 0 {
		text += "; most failed with: " + c.Failures[0].Cause
	}
	return results.Problem{Severity: severity, Text: text}
}

// lostAcked: acknowledged messages were lost.
func lostAcked(c *results.Cell) results.Problem {
	if a := c.Audit; a != nil && a.Error == "" && a.Missing > 0 {
		return when(true, results.Suspect, "%s", a.Loss())
	}
	if p := c.AckLedger; p != nil && p.Missing > 0 {
		return when(true, results.Suspect, "%d of %d messages that were acknowledged were not delivered by the end%s", p.Missing, p.Acked, byEcho(c))
	}
	return results.Problem{}
}

// backlogged: messages of the backlog are missing, or the consumers were not there to read it, or not done with those that
// filled the store.
func backlogged(c *results.Cell) results.Problem {
	if f := c.StoreFill; f != nil && f.Undelivered > 0 {
		return when(true, results.Suspect, "consumers had not got %d of the messages that filled the store as the schedule began: those of the window waited behind them", f.Undelivered)
	}
	b := cmp.Or(c.Backlog, new(results.Backlog))
	for _, g := range b.Groups {
		switch {
		case g.Number == 0 && b.Error != "":
			return when(true, results.Invalid, "the consumers of group 0 did not return to the backlog: %s", b.Error)
		case g.Missing+g.Corrupt > 0:
			return when(true, results.Suspect, "group %d has not got %d of %d messages of the backlog by the end; %d came corrupt", g.Number, g.Missing, g.Owed, g.Corrupt)
		case g.Number > 0 && g.Behind > 0:
			return when(true, results.Suspect, "group %d lagged, too: it was %d messages behind as the schedule began", g.Number, g.Behind)
		}
	}
	return results.Problem{}
}

// unaudited: the store was not read to its end, or something is missing that may not be lost.
func unaudited(c *results.Cell) results.Problem {
	if c.Audit == nil {
		return results.Problem{}
	}
	return when(c.Audit.Error != "", results.Suspect, "the contents of the target's store are unknown: %s", c.Audit.Error)
}

// unread returns why the store of a target was not read although it acknowledges; "" if it was.
func unread(c *results.Cell) string {
	if c.Plan.Shape.Topology.Own() || !c.Plan.Settings.Audit || c.AckLedger == nil || c.Audit != nil {
		return ""
	}
	return "queues from which groups of consumers take the messages are not read"
}

// withdrawn: the target backed a level of durability before the window, and not after it.
func withdrawn(c *results.Cell) results.Problem {
	b := c.Broker.Durability
	if b == nil || b.Withdrawn == "" {
		return results.Problem{}
	}
	return when(true, results.Suspect, "the level of durability is %s instead of %s: after the window %s", b.Promised(), b.Withdrawn, b.Limit)
}

// strays: replies that belong to no message.
func strays(c *results.Cell) results.Problem {
	s := c.Strays
	s.Late = 0 // those are among the missing
	return when(s != results.Strays{}, results.Suspect, "replies that belong to no message: %d duplicate, %d foreign, %d corrupt",
		s.Duplicate, s.Foreign, s.Corrupt)
}

// noticed: connections reported something besides replies.
func noticed(c *results.Cell) results.Problem {
	if len(c.Events) == 0 {
		return results.Problem{}
	}
	return when(true, results.Suspect, "%s on the connections, the first: %s", words.Plural(len(c.Events), "event"), c.Events[0].Text)
}

// clamped: a histogram ends at an hour; longer values count as an hour.
func clamped(c *results.Cell) results.Problem {
	n := c.Response.Clamped + c.Service.Clamped + c.Lag.Clamped + c.Held.Clamped
	if n == 0 {
		return results.Problem{}
	}
	return spoils(c, results.Invalid, "%d values were longer than an hour, the most that a histogram holds, and count as an hour", n)
}

// shortWindow: the plan itself has too few messages for a percentile that was asked
// for.
func shortWindow(c *results.Cell) results.Problem {
	limits, _ := ofResponse(c, func(row results.Percentile) bool {
		return few(c, row) && planned(c) < results.Needed(row.Percentile)
	})
	if len(limits) == 0 {
		return results.Problem{}
	}
	last, _ := c.Response.At(slices.Max(limits[0].Percentiles))
	return limiting(limits, "%s: a window of %v would do, or ask for less with --percentiles",
		above(last), results.NeededWindow(last.Percentile, float64(c.Plan.Shape.Rate)))
}

// fewSamples: the plan has enough messages, but too few of them came.
func fewSamples(c *results.Cell) results.Problem {
	limits, first := ofResponse(c, func(row results.Percentile) bool {
		return few(c, row) && planned(c) >= results.Needed(row.Percentile)
	})
	return limiting(limits, "%s: do not rely on it", above(first))
}

// few tells whether a percentile was asked for and has too few messages above it: it
// tells which few messages came, not what the system does.
func few(c *results.Cell, row results.Percentile) bool {
	return slices.Contains(c.Plan.Settings.Asked(), row.Percentile) && row.SamplesAbove < histogram.MinAbove
}

// fewEvents: the messages above a percentile that was asked for are enough, but a few
// pauses or slow spells are behind them all, so that its interval is wide, or open.
func fewEvents(c *results.Cell) results.Problem {
	limits, first := ofResponse(c, func(row results.Percentile) bool {
		return slices.Contains(c.Plan.Settings.Asked(), row.Percentile) && row.SamplesAbove >= histogram.MinAbove && !row.Trusted && row.Percentile < 100
	})
	if first.Events >= confidence.MinEvents {
		return limiting(limits, "%s may be anything in %s: measure for longer", words.Percentile(first.Percentile), interval(first))
	}
	return limiting(limits, "the %d messages above %s come from %s: how often such things happen is not known; measure for longer",
		first.SamplesAbove, words.Percentile(first.Percentile), eventsIn(first.Events))
}

func eventsIn(events float64) string {
	if n := int(math.Round(events)); n > 1 {
		return fmt.Sprintf("about %d events", n)
	}
	return "one event"
}

func above(row results.Percentile) string {
	return fmt.Sprintf("%s has %s above it, fewer than %d", words.Percentile(row.Percentile), words.Plural(int(row.SamplesAbove), "message"), histogram.MinAbove)
}

func planned(c *results.Cell) float64 {
	return float64(c.Plan.Shape.Rate) * c.Plan.Settings.Duration.Seconds()
}

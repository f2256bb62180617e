package measure

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// A Part is what one agent measured of a cell.
type Part struct {
	results.Agent // Name, Index, Environment and Clock; Lost if nothing came

	Cell        *results.Cell                 // its own result; nil: nothing came
	First, Last time.Duration                 // what Options.Spanned was told
	Log         func() (io.ReadCloser, error) // opens its interval log
	Harm        []byte                        // of a cell that has faults: what is in its [results.HarmFile]
}

// Together makes one result of what agents measured of a cell that began at start: one
// for each part, in the order of their indexes. It is the result that one machine would
// have: histograms are added bucket by bucket, interval by interval, and what follows from
// them is computed from the sums. The messages of an agent that was lost were due, so
// they are missing. Of the options Folder, ID, Redact, and what the runner needs count.
func Together(cell plan.Cell, start time.Time, parts []Part, o Options) (*results.Cell, error) {
	o = o.withDefaults(cell)
	in, err := newTogether(cell, parts, o)
	if err != nil {
		return nil, err
	}
	in.log.begin(start)
	err = in.play(parts)
	logErr := in.log.close()
	if err == nil {
		err = in.exact(parts)
	}
	if err != nil {
		return nil, err
	}
	if o.keep != nil {
		o.keep(in.recording.totals)
	}
	o.watch.end(in.recording.totals)
	out, err := togetherOutcome(cell, start, parts)
	if err != nil {
		return nil, err
	}
	broken, err := o.attendant.assess(cell, parts, out)
	if err != nil {
		return nil, err
	}
	c := newCell(cell, o, finished{Outcome: out, audit: &audit{result: togetherAudit(parts)}, faults: broken}, in.intervals, surroundings{})
	c.ShortLog = in.log.short(o.Redact)
	describeAgents(c, parts)
	o.attendant.describe(c)
	in.describeEchoes(c, parts)
	in.hiccups(c)
	judgeTogether(c, parts)
	if o.Folder != nil {
		logErr = cmp.Or(save(o.Folder, c, in.intervals, in.handling()), logErr)
	}
	return c, logErr
}

// together are the intervals of a cell that agents measured, taken from their logs as those
// of one process are taken from its recorder.
type together struct {
	*intervals

	cell     plan.Cell
	redact   func(string) string
	decoder  histogram.Decoder
	hiccup   *histogram.Histogram // of all agents, in the interval at hand
	echo     *histogram.Histogram // how long the echoes of all agents had each message
	stalls   *histogram.Histogram // in the window
	observed bool                 // any agent observed itself
}

func newTogether(cell plan.Cell, parts []Part, o Options) (*together, error) {
	log, err := createLog(o.Folder)
	if err != nil {
		return nil, err
	}
	in := &intervals{
		recording: newRecording(), log: log, watch: o.watch,
		window: span{cell.Settings.Warmup, cell.Settings.Warmup + cell.Settings.Duration},
	}
	in.rests.over.Store(true) // nothing is measured meanwhile
	in.bounds.expect(cell.Settings.Duration)
	if some(parts, func(c *results.Cell) bool { return c.Ack != nil }) {
		in.acknowledged()
	}
	if some(parts, func(c *results.Cell) bool { return c.Published != nil }) {
		in.publishes()
	}
	if some(parts, func(c *results.Cell) bool { return c.Outward != nil }) {
		in.echoes()
	}
	return &together{intervals: in, cell: cell, redact: o.Redact, hiccup: histogram.New(), stalls: histogram.New(), echo: histogram.New()}, nil
}

// some tells whether something holds for the result of any agent.
func some(parts []Part, holds func(*results.Cell) bool) bool {
	return slices.ContainsFunc(parts, func(p Part) bool { return p.Cell != nil && holds(p.Cell) })
}

// play takes one second after the other from all logs.
func (in *together) play(parts []Part) error {
	tapes, err := openTapes(parts)
	defer tapes.close()
	if err != nil {
		return err
	}
	for second := 0; ; second++ {
		more, err := tapes.play(second, in.add)
		if err != nil {
			return err
		}
		to := time.Duration(second+1) * period
		if !more {
			to = max(in.from, lastOf(parts))
		}
		in.endSecond(to)
		if !more {
			return nil
		}
	}
}

// add adds what an agent recorded in the second at hand under a tag.
func (in *together) add(l histogram.Line) error {
	if l.Tag == hiccupTag {
		in.observed = true
		return in.decoder.Add(l, in.hiccup)
	}
	if l.Tag == echoTag {
		return in.decoder.Add(l, in.echo)
	}
	s := slices.Index(tags[:], l.Tag)
	if s < 0 || in.recording.current[s] == nil {
		return nil // of a later version
	}
	return in.decoder.Add(l, in.recording.current[s])
}

// lastOf returns when the last agent was over.
func lastOf(parts []Part) (elapsed time.Duration) {
	for _, p := range parts {
		if p.Cell != nil {
			elapsed = max(elapsed, time.Duration(p.Cell.ElapsedNS))
		}
	}
	return elapsed
}

// endSecond ends the second at hand.
func (in *together) endSecond(to time.Duration) {
	for s, h := range in.recording.current {
		if h != nil {
			_ = in.recording.totals[s].Merge(h) // both are ours
		}
	}
	in.take(to)
	if in.observed {
		in.log.write(hiccupTag, in.from, to, in.hiccup)
	}
	if to > in.window.from && in.from < in.window.to {
		_ = in.stalls.Merge(in.hiccup) // both are ours
	}
	in.hiccup.Reset()
	in.recording.next()
	in.from = to
}

// exact takes over from the agents' results what logs do not hold: the exact smallest and
// largest value of each series. It is an error if a log lacks messages.
func (in *together) exact(parts []Part) error {
	for s, tag := range tags {
		h := in.recording.totals[s]
		if h == nil || s == warmup {
			continue
		}
		var count, clamped int64
		least, most := time.Duration(1<<62), time.Duration(0)
		for _, p := range parts {
			if p.Cell == nil {
				continue
			}
			d := p.Cell.Series(tag)
			count, clamped = count+d.Count, clamped+d.Clamped
			if d.Count > 0 {
				least, most = min(least, time.Duration(d.MinNS)), max(most, time.Duration(d.MaxNS))
			}
		}
		if count != h.Count() {
			return fmt.Errorf("the agents' interval logs hold %d values of %s, and their results %d: a log was cut short%s", h.Count(), tag, count, shortLogs(parts, tag))
		}
		if s == outward || s == back {
			continue // what is withheld has none
		}
		if err := h.SetExtremes(least, most, clamped); err != nil {
			return fmt.Errorf("the agents' %s: %w", tag, err)
		}
	}
	return nil
}

// hiccups writes the hiccups of all agents into the cell.
func (in *together) hiccups(c *results.Cell) {
	if in.observed {
		d := results.NewDistribution(in.stalls, 0)
		c.Hiccup = &d
	}
}

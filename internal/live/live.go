// Package live shows the progress of a run: as a block that is redrawn on a
// terminal, as plain lines, or as JSON. The files of the result are the authority.
package live

import (
	"fmt"
	"io"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/plan"
)

// A Position is the cell of a run that is being measured.
type Position struct {
	Cell  plan.Cell
	N, Of int           // the cell's number, from 1, and the number of cells; Of is 0 in a search, where it is unknown
	After time.Duration // how long the cells after it take, if nothing is late
}

// NewPosition returns the position of cell n (from 1) of cells.
func NewPosition(cells []plan.Cell, n int) Position {
	p := Position{Cell: cells[n-1], N: n, Of: len(cells)}
	for _, c := range cells[n:] {
		p.After += c.Settings.Warmup + c.Settings.Duration
	}
	return p
}

// String returns the cell's number and name.
func (p Position) String() string {
	if p.Of == 0 {
		return fmt.Sprintf("[%d] %s", p.N, p.Cell)
	}
	return fmt.Sprintf("[%d/%d] %s", p.N, p.Of, p.Cell)
}

// left returns how long the run takes from now on, if nothing is late.
func (p Position) left(now measure.Progress) time.Duration {
	return p.After + max(now.Total-now.Elapsed, 0)
}

// A View shows the progress of a run. It is used from one goroutine at a time.
type View interface {
	// Begin announces a step and how long it takes; 0 is unknown.
	Begin(text string, takes time.Duration)
	// Show shows the progress of a cell.
	Show(at Position, now measure.Progress)
	// Fill shows the progress of a store that is filled.
	Fill(at Position, now measure.Filling)
	// Audit shows the progress of the audit of a cell.
	Audit(at Position, now measure.Auditing)
	// Clear removes the progress from the screen.
	Clear()
}

// Discard is a View that ignores all progress.
type Discard struct{}

// Begin implements View.
func (Discard) Begin(string, time.Duration) {}

// Show implements View.
func (Discard) Show(Position, measure.Progress) {}

// Clear implements View.
func (Discard) Clear() {}

// Fill implements View.
func (Discard) Fill(Position, measure.Filling) {}

// Audit implements View.
func (Discard) Audit(Position, measure.Auditing) {}

const lineEvery = 5 * time.Second

// Lines is a View that writes a plain line every five seconds, since lines that
// cannot be redrawn add up. Make one with [NewLines].
type Lines struct {
	Discard
	w io.Writer

	filled, shown, audited pace
}

// A pace is the last line of a cell, or of an audit.
type pace struct {
	n       int           // the number of the cell
	elapsed time.Duration // how far it was then
}

// due reports whether it is time for the next line.
func (p *pace) due(at Position, elapsed time.Duration) bool {
	if at.N != p.n || elapsed < p.elapsed { // another one
		*p = pace{n: at.N}
	}
	if elapsed-p.elapsed < lineEvery {
		return false
	}
	p.elapsed = elapsed
	return true
}

// NewLines returns Lines on w.
func NewLines(w io.Writer) *Lines { return &Lines{w: w} }

// Begin implements View.
func (l *Lines) Begin(text string, takes time.Duration) {
	if takes == 0 {
		fmt.Fprintln(l.w, text)
		return
	}
	fmt.Fprintf(l.w, "%s: %v\n", text, takes)
}

// Show implements View.
func (l *Lines) Show(at Position, now measure.Progress) {
	if l.shown.due(at, now.Elapsed) {
		fmt.Fprintf(l.w, "%v: %s, %.0f/s, %s%s\n", at, elapsed(now), now.RateNow, soFar(now), backlogLeft(now))
	}
}

// Fill implements View.
func (l *Lines) Fill(at Position, now measure.Filling) {
	if l.filled.due(at, now.Elapsed) {
		fmt.Fprintf(l.w, "%v: %s\n", at, filling(now))
	}
}

// Audit implements View.
func (l *Lines) Audit(at Position, now measure.Auditing) {
	if l.audited.due(at, now.Elapsed) {
		fmt.Fprintf(l.w, "%v: %s\n", at, audited(now))
	}
}

// elapsed returns the part of the schedule that is over. After its end only late replies
// arrive.
func elapsed(now measure.Progress) string {
	if now.Elapsed > now.Total {
		return fmt.Sprintf("waiting %v for late replies", (now.Elapsed - now.Total).Round(time.Second))
	}
	return fmt.Sprintf("%v of %v", now.Elapsed.Round(time.Second), now.Total)
}

func soFar(now measure.Progress) string {
	switch {
	case now.Done == 0:
		return "warming up"
	case now.Max == 0: // of the section
		return responses(now) + ": none"
	}
	return fmt.Sprintf("%s: p50 %s p99 %s max %s", responses(now), words.Millis(now.P50), words.Millis(now.P99), words.Millis(now.Max))
}

// responses names the response times that are shown: at a rate that changes those of a section.
func responses(now measure.Progress) string {
	if now.Section > 0 {
		return fmt.Sprintf("response ms of section %d so far", now.Section)
	}
	return "response ms so far"
}

// filling writes the progress of a store that is filled.
func filling(now measure.Filling) string {
	if now.Until > 0 {
		const mib = 1 << 20
		return fmt.Sprintf("filling the store until it holds %d MiB: %d MiB stored, %.0f MiB/s", now.Until/mib, now.Bytes/mib, float64(now.Bytes)/mib/now.Elapsed.Seconds())
	}
	if now.Stored >= now.Messages {
		return fmt.Sprintf("%s stored; waiting until the other groups have them", words.Count(now.Stored))
	}
	return fmt.Sprintf("filling the store: %s of %s stored, %.0f/s", words.Count(now.Stored), words.Count(now.Messages), float64(now.Stored)/now.Elapsed.Seconds())
}

// backlogLeft says how much of a backlog is left; "" if nothing is.
func backlogLeft(now measure.Progress) string {
	if now.Backlog == 0 {
		return ""
	}
	return fmt.Sprintf("; backlog %s left", words.Count(now.Backlog))
}

// audited writes the progress of an audit, which may read more than the acknowledged messages.
func audited(now measure.Auditing) string {
	if now.Read > now.Acked {
		return fmt.Sprintf("auditing %s: %s read", now.Cell.Target.Name, words.Count(now.Read))
	}
	return fmt.Sprintf("auditing %s: %s of %s read", now.Cell.Target.Name, words.Count(now.Read), words.Count(now.Acked))
}

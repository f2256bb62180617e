// Package canary shows what a canary has measured.
package canary

import (
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/internal/canary"
	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/internal/report/format"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/results"
)

const (
	minute   = "2006-01-02 15:04:05Z"
	mostRows = 20 // of gaps and outages, as text; JSON has all
)

// Show returns the report as a document.
func Show(r canary.Report) *document.Document {
	d := new(document.Document)
	d.Title(fmt.Sprintf("canary of %s, %s, since %s: response in ms from due", r.Target, r.Shape, r.Created.UTC().Format(minute)))
	exact := document.Table{Align: "llr", Head: heads("month", "series")}
	for _, m := range r.Months {
		exact.Rows = append(exact.Rows, line(m.Row, m.Response, string(m.Period), "response"), line(m.Row, m.Service, string(m.Period), "service"))
		if m.Ack != nil {
			exact.Rows = append(exact.Rows, line(m.Row, *m.Ack, string(m.Period), "ack"))
		}
	}
	d.Show(exact)
	if len(r.Months) == 0 {
		d.Say("nothing is measured yet")
	}
	for _, m := range r.Months[:min(len(r.Months), 2)] {
		d.Note(lost(m)...)
	}
	list(d, "days", r.Days)
	list(d, "worst hours", r.Worst)
	for _, m := range r.Months[:min(len(r.Months), 2)] {
		spans(d, fmt.Sprintf("%s: not measured", m.Period), m.Gaps)
		spans(d, fmt.Sprintf("%s: no connection", m.Period), m.Outages)
		for _, f := range m.Failures {
			d.Note(fmt.Sprintf("%s: %s failed: %s", m.Period, words.Plural(int(f.Count), "message"), f.Cause))
		}
		d.Note(m.Notes...)
	}
	d.Say(fmt.Sprintf("until %s, the last flush; a message that is not done ranks above all that are, and one that was not measured nowhere", r.Until.UTC().Format(minute)))
	d.Exact(exact, r)
	return d
}

func heads(first ...string) []string {
	return append(first, "p50", "p99", "p99.9", "p99.99", "max", "due", "done", "failed", "lost", "unsent", "not measured")
}

// line returns the fields of a series of a row.
func line(r canary.Row, d results.Distribution, first ...string) []string {
	l := r.Ledger
	for _, p := range []float64{50, 99, 99.9, 99.99, 100} {
		first = append(first, value(d, p))
	}
	for _, n := range []int64{l.Due, l.Done, l.Failed, l.Lost, l.Unsent, r.NotMeasured} {
		first = append(first, words.Count(n))
	}
	return first
}

// value writes a percentile; too few messages above it are marked, and ≥ is where messages that are not done rank.
func value(d results.Distribution, percentile float64) string {
	row, _ := d.At(percentile)
	switch {
	case d.Count+d.Missing == 0:
		return "-"
	case d.Missing > 0 && (percentile == 100 || row.ValueNS == nil):
		return format.Maximum(d.MaxNS, d.Count, d.Missing)
	}
	return format.Marked(row.ValueNS, row.Trusted)
}

func list(d *document.Document, name string, rows []canary.Row) {
	if len(rows) == 0 {
		return
	}
	t := document.Table{Align: "lr", Head: heads(name)}
	for _, r := range rows {
		t.Rows = append(t.Rows, line(r, r.Response, string(r.Period)))
	}
	d.Gap()
	d.Show(t)
}

// lost says what became of the messages of a month that have no time, and of time.
func lost(m canary.Month) (lines []string) {
	say := func(format string, args ...any) {
		lines = append(lines, string(m.Period)+": "+fmt.Sprintf(format, args...))
	}
	if m.Acks != (load.AckLedger{}) {
		say("%s acknowledged, %s of them lost", words.Count(m.Acks.Acked), words.Count(m.Acks.Missing))
	}
	if n := len(m.Gaps); n > 0 {
		say("%s in %s without measurement: %s messages that were due count as not measured", length(m.Gaps), words.Plural(n, "gap"), words.Count(m.NotMeasured))
	}
	if n := len(m.Outages); n > 0 {
		say("%s in %s without a connection: the messages that were due are unsent", length(m.Outages), words.Plural(n, "outage"))
	}
	if m.Dropped > 0 {
		say("%s not listed: there were too many", words.Plural(m.Dropped, "shorter gap or outage"))
	}
	if s := m.Strays; s != (load.Strays{}) {
		say("%d duplicate, %d foreign, %d corrupt replies", s.Duplicate, s.Foreign, s.Corrupt)
	}
	if lag, _ := m.Lag.At(99.9); lag.ValueNS != nil {
		say("the generator itself was %s ms late at p99.9, and %s ms at most", format.Millis(lag.ValueNS), words.Millis(time.Duration(m.Lag.MaxNS)))
	}
	return lines
}

func length(list []canary.Span) string {
	var sum time.Duration
	for _, s := range list {
		sum += s.To.Sub(s.From)
	}
	return words.About(sum)
}

func spans(d *document.Document, name string, list []canary.Span) {
	if len(list) == 0 {
		return
	}
	t := document.Table{Align: "lllrl", Head: []string{name, "from", "to", "due", "cause"}}
	for _, s := range list[max(len(list)-mostRows, 0):] {
		t.Rows = append(t.Rows, []string{words.About(s.To.Sub(s.From)), s.From.UTC().Format(minute), s.To.UTC().Format(minute), words.Count(s.Due), words.Clip(s.Cause, 80)})
	}
	d.Gap()
	d.Show(t)
}

package canary

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/results"
)

// BookSchema is the schema of the ledger beside a log.
const BookSchema = "brokerbench/canary-book/1"

// Tags are the tags of a log, by series: the times of messages as [load.Op] has them, and from due until the
// acknowledgement.
var Tags = [...]string{"response", "service", "lag", "ack"}

// The series.
const (
	Response = iota
	Service
	Lag
	Ack
)

// Histograms has one for each of [Tags].
type Histograms [len(Tags)]*histogram.Histogram

// NewHistograms returns empty ones.
func NewHistograms() (all Histograms) {
	for i := range all {
		all[i] = histogram.New()
	}
	return all
}

// Merge adds other to h.
func (h Histograms) Merge(other Histograms) (err error) {
	for i := range h {
		err = cmp.Or(err, h[i].Merge(other[i]))
	}
	return err
}

// Reset empties all.
func (h Histograms) Reset() {
	for i := range h {
		h[i].Reset()
	}
}

// Limits of a book, whose size must not depend on how much goes wrong.
const (
	mostSpans    = 200
	mostFailures = 10
	mostWorst    = 10
	mostText     = 300 // characters of a cause
)

// A Span is time in which something was wrong.
type Span struct {
	From  time.Time `json:"from"`
	To    time.Time `json:"to"`
	Cause string    `json:"cause"`
	Due   int64     `json:"due"` // messages that were due in it
}

// A Progress is a turn that is not over, as of the last flush.
type Progress struct {
	Due       int64 `json:"due"` // until the flush
	Done      int64 `json:"done"`
	Failed    int64 `json:"failed"`
	Recent    int64 `json:"recent"` // due within the timeout before the flush, and not settled: they may still come
	Acked     int64 `json:"acked"`
	Delivered int64 `json:"delivered"` // acknowledged and done
}

// Ledger accounts for the messages that are settled. Those that were not sent count as lost: the engine
// distinguishes them when the turn is over.
func (p Progress) Ledger() load.Ledger {
	l := load.Ledger{Due: max(p.Due-p.Recent, p.Done+p.Failed), Done: p.Done, Failed: p.Failed}
	l.Lost = l.Due - l.Done - l.Failed
	return l
}

// Acks accounts for the acknowledgements of the same messages.
func (p Progress) Acks() load.AckLedger {
	missing := min(p.Acked-p.Delivered, p.Ledger().Lost)
	if p.Acked == 0 {
		return load.AckLedger{}
	}
	return load.AckLedger{Acked: p.Delivered + missing, Delivered: p.Delivered, Missing: missing, Unacked: p.Done - p.Delivered}
}

// An Extreme has the exact smallest and largest value of a series; a log has only buckets.
type Extreme struct {
	MinNS   int64 `json:"min_ns"`
	MaxNS   int64 `json:"max_ns"`
	Clamped int64 `json:"clamped"`
}

// A Row is the summary of one hour or day.
type Row struct {
	Period      Period               `json:"period"`
	Ledger      load.Ledger          `json:"ledger"`
	Acks        load.AckLedger       `json:"acks"`
	NotMeasured int64                `json:"not_measured"`
	Response    results.Distribution `json:"response"`
	Service     results.Distribution `json:"service"`
}

// A Book is the account of a period: the ledger beside the log of its histograms. Books of one canary add up.
type Book struct {
	Schema string    `json:"schema"`
	Period Period    `json:"period"`
	ID     string    `json:"id"`   // unique: a day names the hours that it has
	From   time.Time `json:"from"` // the time that is accounted for; zero: none
	To     time.Time `json:"to"`
	Closed bool      `json:"closed"` // of an hour: its log has one line for each series

	Ledger      load.Ledger    `json:"ledger"` // of turns that are over, and of time in which the broker could not be reached
	Acks        load.AckLedger `json:"acks"`
	Strays      load.Strays    `json:"strays"`
	NotMeasured int64          `json:"not_measured"` // messages that were due while the canary did not measure
	Failures    []load.Failure `json:"failures,omitempty"`

	Gaps    []Span   `json:"gaps,omitempty"`    // without measurement
	Outages []Span   `json:"outages,omitempty"` // in which no connection could be set up
	Dropped int      `json:"dropped,omitempty"` // spans beyond the limit, the shortest
	Notes   []string `json:"notes,omitempty"`   // such as steps of the clock

	Open map[string]Progress `json:"open,omitempty"` // turns that are not over, by the names of their runs

	Extremes map[string]Extreme `json:"extremes,omitempty"` // by tag
	Holds    []string           `json:"holds,omitempty"`    // the books that it is the sum of, and those that these were
	Rows     []Row              `json:"rows,omitempty"`     // of the hours of a day, or the days of a month
	Worst    []Row              `json:"worst,omitempty"`    // the worst hours of a month

	LogBytes int64  `json:"log_bytes"` // so much of the log belongs to the book
	LogCRC   uint32 `json:"log_crc"`   // CRC-32 (IEEE) of that
}

// Settled returns the ledger of all messages that are settled, those of open turns too.
func (b *Book) Settled() (l load.Ledger, a load.AckLedger) {
	l, a = b.Ledger, b.Acks
	for _, p := range b.Open {
		l.Add(p.Ledger())
		a.Add(p.Acks())
	}
	return l, a
}

// Covers extends the time that the book accounts for.
func (b *Book) Covers(from, to time.Time) {
	if b.From.IsZero() || from.Before(b.From) {
		b.From = from
	}
	if to.After(b.To) {
		b.To = to
	}
}

// Row sums the book up.
func (b *Book) Row(h Histograms) Row {
	l, a := b.Settled()
	return Row{
		Period: b.Period, Ledger: l, Acks: a, NotMeasured: b.NotMeasured,
		Response: results.NewDistribution(h[Response], l.Missing()), Service: results.NewDistribution(h[Service], l.Missing()),
	}
}

// Add adds another book, without its rows.
func (b *Book) Add(other *Book) {
	l, a := other.Settled()
	b.Ledger.Add(l)
	b.Acks.Add(a)
	b.Strays.Add(other.Strays)
	b.NotMeasured += other.NotMeasured
	b.Failures = addFailures(b.Failures, other.Failures)
	for _, s := range other.Gaps {
		b.Gaps = b.addSpan(b.Gaps, s)
	}
	for _, s := range other.Outages {
		b.Outages = b.addSpan(b.Outages, s)
	}
	b.Dropped += other.Dropped
	for _, note := range other.Notes {
		b.note(note)
	}
	for tag, e := range other.Extremes {
		b.extend(tag, e)
	}
	if !other.From.IsZero() {
		b.Covers(other.From, other.To)
	}
}

func (b *Book) extend(tag string, e Extreme) {
	if own, ok := b.Extremes[tag]; ok {
		e = Extreme{min(own.MinNS, e.MinNS), max(own.MaxNS, e.MaxNS), own.Clamped + e.Clamped}
	}
	if b.Extremes == nil {
		b.Extremes = make(map[string]Extreme)
	}
	b.Extremes[tag] = e
}

// gap counts messages that were due while nothing was measured.
func (b *Book) gap(s Span) {
	b.NotMeasured += s.Due
	b.Gaps = b.addSpan(b.Gaps, s)
	b.Covers(s.From, s.To)
}

// outage counts messages that were due while no connection could be set up.
func (b *Book) outage(s Span) {
	b.Ledger.Add(load.Ledger{Due: s.Due, Unsent: s.Due})
	b.Outages = b.addSpan(b.Outages, s)
	b.Covers(s.From, s.To)
}

// addSpan adds a span. One that goes on where another of the same cause ended makes that longer.
func (b *Book) addSpan(list []Span, s Span) []Span {
	s.Cause = words.Clip(s.Cause, mostText)
	for i := range list {
		if list[i].Cause == s.Cause && s.From.Sub(list[i].To).Abs() < time.Second { // clocks are adjusted by a little
			list[i].To, list[i].Due = s.To, list[i].Due+s.Due
			return list
		}
	}
	if list = append(list, s); len(list) > mostSpans {
		least := 0
		for i := range list {
			if list[i].To.Sub(list[i].From) < list[least].To.Sub(list[least].From) {
				least = i
			}
		}
		list, b.Dropped = slices.Delete(list, least, least+1), b.Dropped+1
	}
	return list
}

// note keeps a text with its time in front.
func (b *Book) note(text string) {
	if len(b.Notes) < mostSpans {
		b.Notes = append(b.Notes, words.Clip(text, mostText))
	}
}

func (b *Book) noteAt(at time.Time, format string, args ...any) {
	b.note(at.UTC().Format(time.RFC3339) + ": " + fmt.Sprintf(format, args...))
}

func addFailures(sum, more []load.Failure) []load.Failure {
	for _, f := range more {
		f.Cause = words.Clip(f.Cause, mostText)
		if i := slices.IndexFunc(sum, func(s load.Failure) bool { return s.Cause == f.Cause }); i >= 0 {
			sum[i].Count += f.Count
		} else {
			sum = append(sum, f)
		}
	}
	slices.SortStableFunc(sum, func(a, b load.Failure) int { return cmp.Compare(b.Count, a.Count) })
	return sum[:min(len(sum), mostFailures)]
}

// WorstOf returns the worst rows, the worst first: by p99.9, which missing messages make infinite, and then by how many are
// missing.
func WorstOf(rows []Row) []Row {
	rows = slices.DeleteFunc(slices.Clone(rows), func(r Row) bool { return r.Ledger.Due == 0 })
	slices.SortStableFunc(rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(b.tail(), a.tail()), cmp.Compare(b.Ledger.Missing(), a.Ledger.Missing()), cmp.Compare(b.Response.MaxNS, a.Response.MaxNS))
	})
	return rows[:min(len(rows), mostWorst)]
}

func (r Row) tail() time.Duration {
	row, _ := r.Response.At(99.9)
	if v, known := row.Value(); known {
		return v
	}
	return time.Duration(1<<63 - 1)
}

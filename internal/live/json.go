package live

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/results"
)

// Schema is the version of the objects that JSON writes: within it, fields are only added.
const Schema = "brokerbench/progress/1"

// JSON is a View that writes a line with an [Object] every second. The first object of a cell
// tells that it has begun.
type JSON struct {
	Discard
	W io.Writer // required
}

// An Object is a line of JSON. Times are nanoseconds. P50NS to HeldP99NS are
// those of the window so far, or of a section of it, and null until a message of the window is back.
type Object struct {
	Schema string    `json:"schema"` // Schema
	Time   time.Time `json:"time"`

	Cell      string `json:"cell"`    // its id
	Number    int    `json:"number"`  // from 1
	Cells     int    `json:"cells"`   // of the whole run; 0: not known, a search
	Section   int    `json:"section"` // of a rate that changes, from 1; 0: of the whole window
	Phase     string `json:"phase"`   // warmup, window, replies: waiting for late ones
	ElapsedNS int64  `json:"elapsed_ns"`
	TotalNS   int64  `json:"total_ns"` // warm-up and window
	LeftNS    int64  `json:"left_ns"`  // of the whole run, if nothing is late; of the cell, in a search

	Due         int64   `json:"due"`         // by now, by the schedule, warm-up included
	Outstanding int64   `json:"outstanding"` // of these, not back
	Done        int64   `json:"done"`        // of those due in the window
	Backlog     int64   `json:"backlog"`     // messages of a backlog that are left
	RatePerS    float64 `json:"rate_per_s"`  // done over the last second

	P50NS       *int64 `json:"p50_ns"`
	P99NS       *int64 `json:"p99_ns"`
	P999NS      *int64 `json:"p99_9_ns"`
	MaxNS       *int64 `json:"max_ns"`
	LagP99NS    *int64 `json:"lag_p99_ns"`
	HeldP99NS   *int64 `json:"held_p99_ns"`
	HiccupMaxNS int64  `json:"hiccup_max_ns"` // in the last second

	Verdict  results.Verdict   `json:"verdict"` // so far; "" while there is none
	Problems []results.Problem `json:"problems"`
}

// Show implements View.
func (j JSON) Show(at Position, now measure.Progress) {
	if !now.Interval {
		return
	}
	o := Object{
		Schema: Schema, Time: time.Now(), Cell: at.Cell.ID(), Number: at.N, Cells: at.Of, Section: now.Section, Phase: phase(now),
		ElapsedNS: int64(now.Elapsed), TotalNS: int64(now.Total), LeftNS: int64(at.left(now)),
		Due: now.Due, Outstanding: now.Outstanding, Done: now.Done, Backlog: now.Backlog, RatePerS: now.RateNow,
		HiccupMaxNS: int64(now.HiccupMax), Verdict: now.Verdict, Problems: now.Problems,
	}
	if now.Done > 0 {
		o.P50NS, o.P99NS, o.P999NS, o.MaxNS = ns(now.P50), ns(now.P99), ns(now.P999), ns(now.Max)
		o.LagP99NS, o.HeldP99NS = ns(now.LagP99), ns(now.HeldP99)
	}
	if o.Problems == nil {
		o.Problems = []results.Problem{} // a list without elements, not null
	}
	_ = json.NewEncoder(j.W).Encode(o) // progress may be lost
}

// FillSchema is the version of a [FillObject]: within it, fields are only added.
const FillSchema = "brokerbench/fill/1"

// A FillObject is what JSON writes while a store is filled, twice a second.
type FillObject struct {
	Schema string    `json:"schema"` // FillSchema
	Time   time.Time `json:"time"`

	Cell      string `json:"cell"`       // its id
	ElapsedNS int64  `json:"elapsed_ns"` // since the filling began
	Stored    int64  `json:"stored"`     // messages that were acknowledged
	Messages  int64  `json:"messages"`   // that the backlog is to have; 0: the store is filled until it holds UntilBytes

	Bytes      int64 `json:"bytes"`                 // of the messages that were acknowledged
	UntilBytes int64 `json:"until_bytes,omitempty"` // that the store is to hold
}

// Fill implements View.
func (j JSON) Fill(at Position, now measure.Filling) {
	o := FillObject{Schema: FillSchema, Time: time.Now(), Cell: at.Cell.ID(), ElapsedNS: int64(now.Elapsed), Stored: now.Stored, Messages: now.Messages, Bytes: now.Bytes, UntilBytes: now.Until}
	_ = json.NewEncoder(j.W).Encode(o) // progress may be lost
}

// AuditSchema is the version of an [AuditObject]: within it, fields are only added.
const AuditSchema = "brokerbench/audit/1"

// An AuditObject is what JSON writes while an audit lasts, twice a second.
type AuditObject struct {
	Schema string    `json:"schema"` // AuditSchema
	Time   time.Time `json:"time"`

	Cell      string `json:"cell"`       // its id
	ElapsedNS int64  `json:"elapsed_ns"` // since the audit began
	Read      int64  `json:"read"`       // messages of this cell so far
	Acked     int64  `json:"acked"`      // how many were acknowledged: as many are there, if none is lost
}

// Audit implements View.
func (j JSON) Audit(at Position, now measure.Auditing) {
	o := AuditObject{Schema: AuditSchema, Time: time.Now(), Cell: at.Cell.ID(), ElapsedNS: int64(now.Elapsed), Read: now.Read, Acked: now.Acked}
	_ = json.NewEncoder(j.W).Encode(o) // progress may be lost
}

func ns(d time.Duration) *int64 { return new(int64(d)) }

func phase(now measure.Progress) string {
	switch {
	case now.Elapsed < now.Cell.Settings.Warmup:
		return "warmup"
	case now.Elapsed < now.Total:
		return "window"
	}
	return "replies"
}

// NoticeSchema is the version of a [Notice]: within it, fields and kinds are only added.
const NoticeSchema = "brokerbench/notice/1"

// A Notice is a message beside the progress: an object with --progress=json, else a line of
// text.
type Notice struct {
	Schema string    `json:"schema"` // NoticeSchema
	Time   time.Time `json:"time"`

	Kind   Kind         `json:"kind"`
	Target string       `json:"target,omitempty"`    // the name of the target that it is about
	Cell   string       `json:"cell,omitempty"`      // the id of the cell that it is about
	Code   results.Code `json:"code,omitempty"`      // of the problem, see cell.json
	Exit   int          `json:"exit_code,omitempty"` // of an error
	Text   string       `json:"text"`                // for people; it may change
}

// A Kind is the kind of a notice.
type Kind string

// The kinds. After a cell: Invalid and Suspect give the reasons of its verdict, Limited the
// causes that limit some of its percentiles, SLO an objective that was not passed, and
// Unmeasured the reason why the cell was not measured.
const (
	Note        Kind = "note" // what is being done, or was
	Invalid     Kind = "invalid"
	Suspect     Kind = "suspect"
	Limited     Kind = "limited"
	SLO         Kind = "slo"
	Unmeasured  Kind = "not measured"
	Left        Kind = "left" // on a target, which could not be removed
	Interrupted Kind = "interrupted"
	Failed      Kind = "error"
)

// Say writes a notice: to [Notices] an object, to any other writer a line of text.
func Say(w io.Writer, n Notice, line string) {
	if to, ok := w.(Notices); ok {
		to.say(n)
		return
	}
	fmt.Fprintln(w, line)
}

// Notices is a writer for a program that reads: it makes an object of each notice that
// [Say] says, and of each line that is written to it.
type Notices struct{ W io.Writer }

// Write implements io.Writer.
func (n Notices) Write(p []byte) (int, error) {
	for line := range strings.Lines(string(p)) {
		if text := strings.TrimSpace(line); text != "" {
			n.say(Notice{Kind: Note, Text: text})
		}
	}
	return len(p), nil
}

func (n Notices) say(notice Notice) {
	notice.Schema, notice.Time = NoticeSchema, time.Now()
	_ = json.NewEncoder(n.W).Encode(notice) // if nobody reads it, it is in the files
}

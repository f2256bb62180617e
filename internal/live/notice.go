package live

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/results"
)

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

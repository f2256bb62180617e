package report

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/internal/report/format"
	"github.com/brokerbench/brokerbench/results"
)

type listedRun struct {
	Started     time.Time `json:"started"`
	Name        string    `json:"name"`
	Targets     []string  `json:"targets"`
	Cells       int       `json:"cells"`
	Valid       int       `json:"valid"`
	Suspect     int       `json:"suspect"`
	Invalid     int       `json:"invalid"`
	NotMeasured int       `json:"not_measured"`
	Finished    bool      `json:"finished"`    // false: under way, or killed
	Interrupted bool      `json:"interrupted"` // by Ctrl-C or a signal: not all was measured
	Dir         string    `json:"dir"`
	Error       string    `json:"error,omitempty"` // why run.json cannot be read
}

// List lists runs. Text leaves out what goes without saying, so that a line fits a
// terminal of 80 columns: when and what for, which the folder's own name says, the
// cells that are VALID, which are the rest, and all but two targets.
func List(out string, runs []results.Listed) *document.Document {
	all := document.Table{Head: []string{"when", "name", "targets", "cells", "verdicts", "folder"}, Align: "lllrll"}
	text, list := document.Table{Head: []string{"folder", "cells", "verdicts", "targets"}, Align: "lrll"}, []listedRun{}
	for _, r := range runs {
		l := newListedRun(r)
		list = append(list, l)
		when, cells, targets := l.began(), fmt.Sprint(l.Cells), strings.Join(l.Targets, ", ")
		text.Rows = append(text.Rows, []string{filepath.Base(l.Dir), cells, l.doubts(), few(l.Targets)})
		all.Rows = append(all.Rows, []string{when, l.Name, targets, cells, l.verdicts(), l.Dir})
	}
	var d document.Document
	if len(runs) == 0 {
		d.Say(fmt.Sprintf("%s holds no run (brokerbench run makes one)", out))
	} else {
		d.Say(fmt.Sprintf("%s in %s, the newest first:", words.Plural(len(runs), "run"), out))
		d.ShowFittingAs(text, all, "cells", "targets")
	}
	d.Exact(document.Records(list, "started=Started? name=Name targets=Targets cells=Cells valid=Valid suspect=Suspect invalid=Invalid",
		"not_measured=NotMeasured finished=Finished interrupted=Interrupted folder=Dir"), list)
	return &d
}

func newListedRun(r results.Listed) listedRun {
	l := listedRun{Started: r.Run.Started, Name: r.Run.Name, Targets: []string{}, Cells: len(r.Run.Cells), Finished: !r.Run.Finished.IsZero(), Interrupted: r.Run.Interrupted, Dir: r.Dir}
	if r.Err != nil {
		l.Error = r.Err.Error()
	}
	for _, target := range r.Run.Plan.Targets {
		l.Targets = append(l.Targets, target.Name)
	}
	for _, entry := range r.Run.Cells {
		switch entry.Verdict {
		case results.Valid:
			l.Valid++
		case results.Suspect:
			l.Suspect++
		case results.Invalid:
			l.Invalid++
		default:
			l.NotMeasured++
		}
	}
	return l
}

// began returns when it began, in the time zone where it was measured.
func (l listedRun) began() string {
	if l.Started.IsZero() {
		return ""
	}
	return format.Moment(l.Started)
}

// verdicts counts those that there are: 12 VALID, 1 SUSPECT.
func (l listedRun) verdicts() string {
	if l.Valid == 0 {
		return l.doubts()
	}
	if l.Valid == l.Cells && l.Finished && !l.Interrupted {
		return fmt.Sprintf("%d VALID", l.Valid)
	}
	return fmt.Sprintf("%d VALID, %s", l.Valid, l.doubts())
}

// doubts counts what is not VALID.
func (l listedRun) doubts() string {
	var parts []string
	for _, part := range []struct {
		n    int
		what string
	}{{l.Suspect, "SUSPECT"}, {l.Invalid, "INVALID"}, {l.NotMeasured, "not measured"}} {
		if part.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", part.n, part.what))
		}
	}
	switch {
	case l.Error != "":
		return "cannot be read"
	case !l.Finished:
		parts = append(parts, "not ended")
	case l.Interrupted:
		parts = append(parts, "interrupted")
	case l.Cells == 0:
		return "no cell"
	}
	return cmp.Or(strings.Join(parts, ", "), "all VALID")
}

// few names two targets, and how many there are besides.
func few(targets []string) string {
	if len(targets) <= 2 {
		return strings.Join(targets, ", ")
	}
	return fmt.Sprintf("%s, %s, +%d", targets[0], targets[1], len(targets)-2)
}

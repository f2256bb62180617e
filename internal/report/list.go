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
// cells that are VALID, which are the rest, and all but two targets. A VALID cell may have no usable number:
// that is not in run.json.
func List(out string, runs []results.Listed) *document.Document {
	all := document.Table{Head: []string{"when", "name", "targets", "cells", "verdicts", "folder"}, Align: "lllrll"}
	text, list := document.Table{Head: []string{"folder", "cells", "verdicts", "targets"}, Align: "lrll"}, []listedRun{}
	for _, r := range runs {
		l := newListedRun(r)
		list = append(list, l)
		cells, targets, doubts := fmt.Sprint(l.Cells), strings.Join(l.Targets, ", "), cmp.Or(l.verdicts(false), "none SUSPECT or INVALID")
		text.Rows = append(text.Rows, []string{filepath.Base(l.Dir), cells, doubts, few(l.Targets)})
		all.Rows = append(all.Rows, []string{format.Moment(l.Started), l.Name, targets, cells, l.verdicts(true), l.Dir})
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
	counts := make(map[results.Verdict]int)
	for _, entry := range r.Run.Cells {
		counts[entry.Verdict]++
	}
	l := listedRun{
		Started: r.Run.Started, Name: r.Run.Name, Targets: []string{}, Cells: len(r.Run.Cells), Valid: counts[results.Valid],
		Suspect: counts[results.Suspect], Invalid: counts[results.Invalid], NotMeasured: counts[""],
		Finished: !r.Run.Finished.IsZero(), Interrupted: r.Run.Interrupted, Dir: r.Dir,
	}
	if r.Err != nil {
		l.Error = r.Err.Error()
	}
	for _, target := range r.Run.Plan.Targets {
		l.Targets = append(l.Targets, target.Name)
	}
	return l
}

// verdicts counts the cells by verdict, VALID ones only if asked, and says how the run ended; "" if
// there is nothing to say.
func (l listedRun) verdicts(valid bool) string {
	var parts []string
	for _, part := range []struct {
		n    int
		what string
	}{{l.Valid, "VALID"}, {l.Suspect, "SUSPECT"}, {l.Invalid, "INVALID"}, {l.NotMeasured, "not measured"}} {
		if part.n > 0 && (valid || part.what != "VALID") {
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
	return strings.Join(parts, ", ")
}

// few names two targets, and how many there are besides.
func few(targets []string) string {
	if len(targets) <= 2 {
		return strings.Join(targets, ", ")
	}
	return fmt.Sprintf("%s, %s, +%d", targets[0], targets[1], len(targets)-2)
}

package results

import (
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results/internal/host"
)

// A Run holds the common properties of the cells of a run. It is the content of run.json.
type Run struct {
	Schema      string      `json:"schema"` // RunSchema
	ID          string      `json:"id"`     // part of the names of topics, queues and subjects
	Name        string      `json:"name"`
	Started     time.Time   `json:"started"`
	Finished    time.Time   `json:"finished"` // zero while the run goes on, or if it was killed
	Interrupted bool        `json:"interrupted"`
	Command     []string    `json:"command"` // the exact command line, without passwords
	Environment Environment `json:"environment"`
	Plan        plan.Plan   `json:"plan"` // resolved: after file, environment and flags
	Cells       []Entry     `json:"cells"`
}

// Failed tells whether a run has ended and measured nothing.
func (r Run) Failed() bool {
	measured := func(e Entry) bool { return e.Verdict != "" }
	return !r.Finished.IsZero() && !slices.ContainsFunc(r.Cells, measured)
}

// An Entry is one cell in a run's list.
type Entry struct {
	ID      string  `json:"id"`
	Verdict Verdict `json:"verdict,omitempty"` // "" if it was not measured
	Error   string  `json:"error,omitempty"`   // why it was not measured
	Refused string  `json:"refused,omitempty"` // the settings that the target lacks for the durability that was asked for
	Began   Moment  `json:"began,omitzero"`    // when measuring it began; zero: not known
}

// These describe machines.
type (
	// A Moment orders events of all processes on a machine since it booted, whatever becomes of its
	// wall clock.
	Moment = host.Moment
	// An Environment describes the machine of a run. A field is empty if the system does not
	// report it.
	Environment = host.Environment
)

// Package leftover finds the objects that runs created on a broker, by their names, and
// decides which of them may be removed: those of runs that are over.
package leftover

import (
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/requester"
)

// Wants reports whether a name is one of brokerbench's and belongs to the run of the query.
// Without a run it also wants names that no run has: [Keep] keeps them, so that the user sees them.
func Wants(q requester.LeftoverQuery, name string) bool {
	of := Run(name)
	if of == "" || q.Run == "" || of == q.Run {
		return of != ""
	}
	run, _, ok := Split(of)
	return ok && run == q.Run
}

// A state is what is known of a run from all that it left.
type state struct {
	busy    string    // the part of it that is in use
	used    time.Time // when it began, or anything of it was used, whichever is later
	undated bool      // of something it is not known when it was used
}

// Keep returns for each thing why it must not be removed; "" if it may. All cells of
// a run share one fate: while one is measured, the things of the next are made, and
// those of the last may be left. A run may live if anything of it is in use, if it
// began or anything of it was used within the age, or if that is not known of
// anything. A run that the query names is over: the user says so, but nothing of it
// is removed even then while anything is in use.
func Keep(things []requester.Leftover, q requester.LeftoverQuery, age time.Duration, now time.Time) []string {
	runs := make(map[string]*state)
	for _, t := range things {
		run, _, _ := Split(Run(t.Name))
		if runs[run] == nil {
			runs[run] = &state{used: began(run)}
		}
		runs[run].add(t)
	}
	keep := make([]string, len(things))
	for i, t := range things {
		if run, _, ok := Split(Run(t.Name)); ok {
			keep[i] = runs[run].keep(q, age, now)
		} else {
			keep[i] = "brokerbench gives no run such a name: if it is not needed, remove it with the broker's own tools"
		}
	}
	return keep
}

func (s *state) add(t requester.Leftover) {
	if t.Used.After(s.used) {
		s.used = t.Used
	}
	if t.Busy != "" {
		s.busy = fmt.Sprintf("in use: %s %s: %s", t.Kind, t.Name, t.Busy)
	}
	s.undated = s.undated || t.Used.IsZero()
}

func (s *state) keep(q requester.LeftoverQuery, age time.Duration, now time.Time) string {
	switch ago := now.Sub(s.used); {
	case s.busy != "":
		return s.busy
	case q.Run != "":
		return ""
	case ago < age:
		return fmt.Sprintf("used %v ago, and may go on: if it is over, name it with --only", ago.Round(time.Second))
	case s.undated:
		return "not known when all of it was last used: if it is over, name it with --only"
	}
	return ""
}

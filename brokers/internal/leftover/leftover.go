// Package leftover decides what of the things that runs made on a broker may be
// removed: those of runs that are over.
package leftover

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// ErrInUse is why something could not be removed that has been taken into use since
// it was found.
var ErrInUse = errors.New("it is in use again")

// A Thing is something on a broker that carries a name of ours.
type Thing struct {
	Kind string    // such as "topic"
	Name string    // brokerbench.<run>.<connection>
	Used time.Time // when it was last used, as the broker tells; zero: not known
	Busy string    // why it is in use at this moment; "" if it does not seem to be
}

// A Query says what to look for.
type Query struct {
	Run        string // the run, or the cell of a run; "" is every run
	Management string // the URL of RabbitMQ's management API; "" is where it usually is
}

// A Sweeper is a factory of a broker on which something may be left.
type Sweeper interface {
	// Find returns what carries a name of ours, and in unseen what it could not look
	// for; "" if nothing.
	Find(ctx context.Context, q Query) (things []Thing, unseen string, err error)
	// Remove removes things that are not in use, and returns an error for each, nil
	// if it is gone.
	Remove(ctx context.Context, things []Thing) []error
}

// Wants reports whether a name is of ours and of the run that is looked for. Without
// a run it wants strangers too: [Keep] keeps them, so that they are seen.
func (q Query) Wants(name string) bool {
	of := Run(name)
	if of == "" || q.Run == "" || of == q.Run {
		return of != ""
	}
	run, _, ok := Split(of)
	return ok && run == q.Run
}

// A state is what is known of a run from all that it left.
type state struct {
	busy    string    // what of it is in use
	used    time.Time // when it began, or anything of it was used, whichever is later
	undated bool      // of something it is not known when it was used
}

// Keep returns for each thing why it must not be removed; "" if it may. All cells of
// a run share one fate: while one is measured, the things of the next are made, and
// those of the last may be left. A run may live if anything of it is in use, if it
// began or anything of it was used within the age, or if that is not known of
// anything. A run that the query names is over: the user says so, but nothing of it
// is removed even then while anything is in use.
func Keep(things []Thing, q Query, age time.Duration, now time.Time) []string {
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
			keep[i] = "brokerbench gives no run such a name: if nobody needs it, remove it with the broker's own tools"
		}
	}
	return keep
}

func (s *state) add(t Thing) {
	if t.Used.After(s.used) {
		s.used = t.Used
	}
	if t.Busy != "" {
		s.busy = fmt.Sprintf("in use: %s %s: %s", t.Kind, t.Name, t.Busy)
	}
	s.undated = s.undated || t.Used.IsZero()
}

func (s *state) keep(q Query, age time.Duration, now time.Time) string {
	switch ago := now.Sub(s.used); {
	case s.busy != "":
		return s.busy
	case q.Run != "":
		return ""
	case ago < age:
		return fmt.Sprintf("used %v ago, and may go on: if it is over, name it with --run", ago.Round(time.Second))
	case s.undated:
		return "not known when all of it was last used: if it is over, name it with --run"
	}
	return ""
}

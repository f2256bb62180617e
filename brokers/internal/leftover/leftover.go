// Package leftover decides what of the things that runs made on a broker may be
// removed: those of runs that are over.
package leftover

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"
)

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

// ours matches the names that brokers give, with the run as its group.
var ours = regexp.MustCompile(`^brokerbench\.([a-zA-Z0-9_-]{1,200})\.[0-9]+$`)

// Run returns the run that a name belongs to; "" if the name is not of ours.
func Run(name string) string {
	if match := ours.FindStringSubmatch(name); match != nil {
		return match[1]
	}
	return ""
}

// Wants reports whether a name is of ours and of the run that is looked for.
func (q Query) Wants(name string) bool {
	run := Run(name)
	return run != "" && (q.Run == "" || run == q.Run || strings.HasPrefix(run, q.Run+"-"))
}

// began returns when a run began, which its name says; zero if it does not.
func began(run string) time.Time {
	at, err := time.Parse("20060102t150405", run[:min(len(run), len("20060102t150405"))])
	if err != nil {
		return time.Time{}
	}
	return at
}

// Keep returns why the things of each run must not be removed; "" if they may. A run
// may live if anything of it is in use, or if it began or anything of it was used
// within the age. A run that the query names is over: the user says so, but nothing
// that is in use is removed even then.
func Keep(things []Thing, q Query, age time.Duration, now time.Time) map[string]string {
	busy, used := make(map[string]string), make(map[string]time.Time)
	for _, t := range things {
		run := Run(t.Name)
		if _, ok := used[run]; !ok {
			used[run] = began(run)
		}
		if t.Used.After(used[run]) {
			used[run] = t.Used
		}
		if t.Busy != "" {
			busy[run] = fmt.Sprintf("in use: %s %s: %s", t.Kind, t.Name, t.Busy)
		}
	}
	keep := make(map[string]string, len(used))
	for run, at := range used {
		switch ago := now.Sub(at); {
		case busy[run] != "":
			keep[run] = busy[run]
		case q.Run != "":
			keep[run] = ""
		case at.IsZero():
			keep[run] = "its age is not known: if it is over, name it with --run"
		case ago < age:
			keep[run] = fmt.Sprintf("used %v ago, and may go on: if it is over, name it with --run", ago.Round(time.Second))
		}
	}
	return keep
}

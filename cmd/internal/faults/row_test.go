//go:build linux

package faults

import (
	"strings"
	"testing"
	"time"
)

// A row is one fault. The zero value of every field but the first is that nothing
// is wrong: 300 messages a second over two connections for three seconds, all done.
type row struct {
	fault string

	before func(*attempt) // before the program starts
	during func(*attempt) // in another goroutine, after the first second of the schedule
	after  func(*attempt) // after the program has ended: the broker is well again

	instead func(*attempt) // in place of the program and its checks

	args    []string // in place of those that every row has, by flag
	shell   string   // what a shell does before it becomes the program, such as ulimit -n 32
	window  time.Duration
	timeout time.Duration
	late    time.Duration // how long setup, teardown and report may take together

	exit   []int    // the exit codes that are right; nil: 0, and every message is done
	says   []string // what standard error has to say
	unmade bool     // it never measures: one line says why
	killed bool     // nothing can be said or finished any more
	cut    bool     // files cannot all be written
	leaves bool     // the broker cannot be reached at the end, so things may stay there
	spoils bool     // the broker is not used again
}

// What rows do not say.
const (
	perSecond   = 300
	connections = 2
	window      = 3 * time.Second
	timeout     = 2 * time.Second
	late        = 8 * time.Second
	unanswered  = 25 * time.Second // late, of a broker that is silent: Teardown has 20 s, and the question what it backs 5 s
	secret      = "s3cret"
)

// try makes an attempt at a row, and reports what fell short.
func (s *suite) try(t *testing.T, l lane, b *broker, r row) {
	t.Helper()
	r.window, r.timeout, r.late = either(r.window, window), either(r.timeout, timeout), either(r.late, late)
	b.ready(t)
	a := &attempt{t: t, row: r, broker: b, program: s.program, authority: s.authority, folder: t.TempDir(), url: b.url()}
	if r.instead != nil {
		r.instead(a)
	} else {
		a.before()
		a.run()
		a.after()
		a.check()
	}
	if r.spoils {
		b.end()
	}
	s.report(t, l, a)
}

// report adds an attempt to the table, and fails the test if it fell short.
func (s *suite) report(t *testing.T, l lane, a *attempt) {
	t.Helper()
	for _, text := range a.fell {
		t.Errorf("fell short: %s", text)
	}
	if len(a.fell) > 0 {
		t.Logf("%s\nexit code %d after %v\nstdout:\n%s\nstderr:\n%s", strings.Join(a.command, " "), a.exit, a.took, cut(a.stdout), cut(a.stderr))
	}
	s.table.add(result{lane: l.name, fault: a.row.fault, fell: len(a.fell) > 0, took: a.took})
}

func either(d, otherwise time.Duration) time.Duration {
	if d == 0 {
		return otherwise
	}
	return d
}

// cut keeps the end of a long text.
func cut(text string) string { return text[max(0, len(text)-6000):] }

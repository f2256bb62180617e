// Package command has what all commands share: their streams and exit codes, the flags that say how
// results are printed and where, and the completion of runs.
package command

import (
	"io"
	"os"
	"slices"
	"strings"

	"golang.org/x/term"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/internal/compare"
	"github.com/brokerbench/brokerbench/internal/live"
)

// Streams are all that a command reads from and writes to, its environment, and the
// brokers that it knows.
type Streams struct {
	In      io.Reader
	Out     io.Writer    // results
	Err     io.Writer    // progress, notes and errors; Main does not wait for their reader
	Screen  *live.Screen // Err, if that is a terminal whose lines can be redrawn; else nil
	Environ []string
	Columns int           // how wide Out is, if it is a terminal; else 0
	Colour  bool          // Out is a terminal that shows colours
	Brokers brokers.Table // the brokers that targets may name

	Talk *live.AsyncWriter // what Err, or Screen, writes to; nil in tests of a Screen

	// GiveUp is closed when a command has to end at once, with what there is. Main
	// sets it.
	GiveUp <-chan struct{}
}

// System returns the process's own streams, with these brokers.
func System(table brokers.Table) Streams {
	s := Streams{In: os.Stdin, Out: os.Stdout, Environ: os.Environ(), Brokers: table, Talk: live.NewAsyncWriter(os.Stderr)}
	s.Err = live.Plain{W: s.Talk}
	s.Columns, s.Colour = terminal(os.Stdout, s.Environ)
	if s.Screen = screen(os.Stderr, s.Talk, s.Environ); s.Screen != nil {
		s.Err = s.Screen
	}
	return s
}

// Lookup finds variables in an environment as os.Environ returns it.
func Lookup(environ []string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		for _, entry := range environ {
			if variable, value, _ := strings.Cut(entry, "="); variable == name {
				return value, true
			}
		}
		return "", false
	}
}

// GaveUp reports whether GiveUp is closed.
func (s Streams) GaveUp() bool {
	select {
	case <-s.GiveUp:
		return true
	default:
		return false
	}
}

// screen returns a screen on f, which w writes to, or nil if f is not a terminal
// whose lines can be redrawn.
func screen(f *os.File, w io.Writer, environ []string) *live.Screen {
	if !term.IsTerminal(int(f.Fd())) || slices.Contains(environ, "TERM=dumb") || !redraws(f) {
		return nil
	}
	return live.NewScreen(w, func() (columns, rows int) {
		columns, rows, _ = term.GetSize(int(f.Fd())) // unknown is 0
		return columns, rows
	})
}

// terminal returns how many columns f has, and whether it shows colours; 0 and false if
// it is no terminal. Colours are off where https://no-color.org says so.
func terminal(f *os.File, environ []string) (columns int, colour bool) {
	if !term.IsTerminal(int(f.Fd())) {
		return 0, false
	}
	columns, _, _ = term.GetSize(int(f.Fd())) // unknown is 0
	no, _ := Lookup(environ)("NO_COLOR")
	return columns, no == "" && !slices.Contains(environ, "TERM=dumb") && redraws(f)
}

// Decisive returns the options of all brokers that decide what a latency means.
func (s Streams) Decisive() (all []compare.Decisive) {
	for _, b := range s.Brokers {
		for _, d := range b.Decisive {
			all = append(all, compare.Decisive(d))
		}
	}
	return all
}

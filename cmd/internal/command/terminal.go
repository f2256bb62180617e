package command

import (
	"io"
	"os"
	"slices"

	"golang.org/x/term"

	"github.com/brokerbench/brokerbench/internal/live"
)

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

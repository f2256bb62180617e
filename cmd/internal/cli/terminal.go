package cli

import (
	"os"
	"slices"

	"golang.org/x/term"

	"github.com/brokerbench/brokerbench/cmd/internal/live"
)

// screen returns a screen on f, or nil if f is not a terminal whose lines can be
// redrawn.
func screen(f *os.File, environ []string) *live.Screen {
	if !term.IsTerminal(int(f.Fd())) || slices.Contains(environ, "TERM=dumb") || !redraws(f) {
		return nil
	}
	return live.NewScreen(f, func() (columns, rows int) {
		columns, rows, _ = term.GetSize(int(f.Fd())) // unknown is 0
		return columns, rows
	})
}

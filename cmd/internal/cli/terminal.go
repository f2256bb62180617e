package cli

import (
	"io"
	"os"
	"slices"

	"golang.org/x/term"

	"github.com/brokerbench/brokerbench/cmd/internal/live"
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

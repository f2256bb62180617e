package cli

import (
	"os"

	"github.com/mattn/go-isatty"
)

// isTerminal tells whether f is a terminal, on which a line can be redrawn.
func isTerminal(f *os.File) bool { return isatty.IsTerminal(f.Fd()) }

package command

import (
	"os"

	"golang.org/x/sys/windows"
)

// redraws makes a console obey control sequences, and reports whether it does.
func redraws(f *os.File) bool {
	var mode uint32
	console := windows.Handle(f.Fd())
	if windows.GetConsoleMode(console, &mode) != nil {
		return false
	}
	return windows.SetConsoleMode(console, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}

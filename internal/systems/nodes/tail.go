package nodes

import (
	"io"
	"os"
	"strings"
)

// mostTail is how much of a log is read from its end, in bytes.
const mostTail = 16 << 10

// tailOf returns the last lines of a file that are not empty; none if it cannot be read.
func tailOf(file string, lines int) []string {
	f, err := os.Open(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	if end, err := f.Seek(0, io.SeekEnd); err == nil {
		_, _ = f.Seek(max(0, end-mostTail), io.SeekStart) // else it is read from where it is: its end
	}
	text, _ := io.ReadAll(io.LimitReader(f, mostTail)) // what could be read
	return lastOf(string(text), lines)
}

// lastOf returns the last lines of a text that are not empty.
func lastOf(text string, lines int) (last []string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			last = append(last, line)
		}
	}
	return last[max(0, len(last)-lines):]
}

package rabbitstream

import (
	"io"
	"regexp"
)

// chatter matches a line that the client library writes to Go's standard logger, which
// cannot be turned off: what matters of it is in errors and events.
var chatter = regexp.MustCompile(`^(?:\S+ \S+ )?\[(?:debug|info|warn|error)\] - `)

// A muted is a writer that leaves out the client's lines.
type muted struct{ w io.Writer }

// Mute returns a writer that passes on to w what is written, a line at a time as package log
// does, but for the lines of the client library.
func Mute(w io.Writer) io.Writer { return muted{w} }

// Write implements [io.Writer].
func (m muted) Write(line []byte) (int, error) {
	if chatter.Match(line) {
		return len(line), nil
	}
	return m.w.Write(line)
}

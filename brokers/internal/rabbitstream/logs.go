package rabbitstream

import (
	"io"
	"regexp"
)

// chatter matches a line that the client library writes to Go's standard logger, which it
// cannot turn off: errors and events have the same information.
var chatter = regexp.MustCompile(`^(?:\S+ \S+ )?\[(?:debug|info|warn|error)\] - `)

// A muted is a writer that leaves out the client's lines.
type muted struct{ w io.Writer }

// Mute returns a writer that passes on lines to w, one a call as package log writes them,
// except those of the client library.
func Mute(w io.Writer) io.Writer { return muted{w} }

// Write implements [io.Writer].
func (m muted) Write(line []byte) (int, error) {
	if chatter.Match(line) {
		return len(line), nil
	}
	return m.w.Write(line)
}

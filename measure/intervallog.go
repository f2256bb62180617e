package measure

import (
	"cmp"
	"fmt"
	"io"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/results"
)

// intervalLog writes the interval log of a cell. A nil log writes nothing.
type intervalLog struct {
	file    io.WriteCloser
	log     *histogram.LogWriter // nil before begin
	lines   int64                // that were to be written
	leftOut int64                // of these, not written
	err     error                // why; the first error of writing
}

// createLog creates the log in a folder; without a folder it returns nil.
func createLog(folder *results.CellFolder) (*intervalLog, error) {
	if folder == nil {
		return nil, nil
	}
	file, err := folder.CreateIntervals()
	return &intervalLog{file: file}, err
}

// begin is called when the schedule begins.
func (l *intervalLog) begin(start time.Time) {
	if l != nil {
		l.log = histogram.NewLogWriter(l.file, start)
	}
}

// write writes one line, if the interval has any value of that tag. A line that
// cannot be written, such as to a full disk, is left out; the next one may be in the
// file again.
func (l *intervalLog) write(tag string, from, to time.Duration, h *histogram.Histogram) {
	if l == nil || h.Count() == 0 {
		return
	}
	l.lines++
	if err := l.log.Write(tag, from, to, h); err != nil {
		l.leftOut++
		l.err = cmp.Or(l.err, err)
	}
}

// close closes the file and returns the first error, and how much is left out.
func (l *intervalLog) close() error {
	if l == nil {
		return nil
	}
	err := l.file.Close()
	if l.leftOut > 0 {
		return fmt.Errorf("%w: %d of its %d lines are left out", l.err, l.leftOut, l.lines)
	}
	return err
}

// short returns what is left out; nil if the log is whole.
func (l *intervalLog) short(redact func(string) string) *results.ShortLog {
	if l == nil || l.leftOut == 0 {
		return nil
	}
	return &results.ShortLog{Lines: l.lines - l.leftOut, LeftOut: l.leftOut, Cause: redact(l.err.Error())}
}

package measure

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/results"
)

// intervalLog writes the interval log of a cell. A nil log writes nothing.
type intervalLog struct {
	file io.WriteCloser
	log  *histogram.LogWriter // nil before begin
	err  error                // the first error of writing
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

// write writes one line, if the interval has any value of that tag. After an
// error it writes no more: the file ends with whole lines.
func (l *intervalLog) write(tag string, from, to time.Duration, h *histogram.Histogram) {
	if l == nil || l.err != nil || h.Count() == 0 {
		return
	}
	if err := l.log.Write(tag, from, to, h); err != nil {
		l.err = fmt.Errorf("writing the interval log: %w", err)
	}
	park()
}

// close closes the file and returns the first error.
func (l *intervalLog) close() error {
	if l == nil {
		return nil
	}
	return errors.Join(l.err, l.file.Close())
}

package record

import (
	"cmp"
	"fmt"
	"io"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/results"
)

// A Log writes the interval log of a cell. A nil log writes nothing.
type Log struct {
	file    logFile
	log     *histogram.LogWriter // nil before Begin
	lines   int64                // that Write was given
	held    int64                // of these, the last, which the disk has no space for yet
	leftOut int64                // of these, not written
	err     error                // why; the first error of writing
}

// A logFile holds what a full disk does not take: see [safefile.Backlog].
type logFile interface {
	io.WriteCloser
	Held() bool
	Flush() error
}

// CreateLog creates the log in a folder; without a folder it returns nil.
func CreateLog(folder *results.CellFolder) (*Log, error) {
	if folder == nil {
		return nil, nil
	}
	file, err := folder.CreateIntervals()
	if err != nil {
		return nil, err
	}
	return &Log{file: file}, nil
}

// Begin is called when the schedule begins.
func (l *Log) Begin(start time.Time) {
	if l != nil {
		l.log = histogram.NewLogWriter(l.file, start)
	}
}

// Write writes one line if the histogram holds any value. A line that cannot be written is left out;
// the next one may be in the file again. While the disk is full, lines are held.
func (l *Log) Write(tag string, from, to time.Duration, h *histogram.Histogram) {
	if l == nil || h.Count() == 0 {
		return
	}
	l.lines++
	if err := l.log.Write(tag, from, to, h); err != nil {
		l.leftOut++
		l.err = cmp.Or(l.err, err)
	}
	if l.held++; !l.file.Held() {
		l.held = 0
	}
}

// Flush writes the lines that are held.
func (l *Log) Flush() error {
	if l == nil {
		return nil
	}
	err := l.file.Flush()
	if err == nil {
		l.held = 0
	}
	return err
}

// Close closes the file and returns the first error, and how much is left out.
func (l *Log) Close() error {
	if l == nil {
		return nil
	}
	if err := l.Flush(); err != nil {
		l.err, l.leftOut = cmp.Or(l.err, err), l.leftOut+l.held
	}
	err := l.file.Close()
	if l.leftOut > 0 {
		return fmt.Errorf("%w: %d of its %d lines are left out", l.err, l.leftOut, l.lines)
	}
	return err
}

// Short returns what is left out; nil if the log is complete.
func (l *Log) Short(redact func(string) string) *results.ShortLog {
	if l == nil || l.leftOut == 0 {
		return nil
	}
	return &results.ShortLog{Lines: l.lines - l.leftOut, LeftOut: l.leftOut, Cause: redact(l.err.Error())}
}

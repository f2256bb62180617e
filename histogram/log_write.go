package histogram

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"
)

// A LogWriter writes an interval log (.hlog), V2 1.3: a line for each interval and
// tag, with values in nanoseconds. HdrHistogram's tools in Java, Python and Go read
// it; Java's HistogramLogProcessor needs -tag. It is not safe for concurrent use.
type LogWriter struct {
	w       io.Writer
	head    string // is written before the first interval; "" afterwards
	err     error  // of a write that left a part of a line; nothing is written after it
	encoder encoder
}

// logHead is the beginning of a log. hdrhistogram-go's own writer cuts both times
// to whole seconds.
const logHead = `#[Logged with brokerbench]
#[Histogram log format version 1.3]
#[BaseTime: %s (seconds since epoch)]
#[StartTime: %[1]s (seconds since epoch), %s]
"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"
`

// javaDate is how Java's Date prints itself.
const javaDate = "Mon Jan 02 15:04:05 MST 2006"

// NewLogWriter writes the head of a log and returns the writer of its intervals.
// Offsets count from start. If nothing of the head could be written, the next Write
// tries again; if a part of it was, that returns the error.
//
// Every line goes to w in one call of Write, so that a process that is killed
// leaves whole lines.
func NewLogWriter(w io.Writer, start time.Time) *LogWriter {
	l := &LogWriter{w: w}
	start = start.Round(time.Millisecond).UTC()
	l.head = fmt.Sprintf(logHead, seconds(time.Duration(start.UnixMilli())*time.Millisecond), start.Format(javaDate))
	_ = l.begin() // Write tries again
	return l
}

// Write writes the values recorded between two offsets under a tag, or without one if
// it is empty. Both offsets are rounded to the millisecond, so that neighbouring
// intervals are neighbours in the file, too.
//
// If no byte of a line could be written, the line is left out: the next Write may succeed
// when a full disk has room again. An error after a part of a line is final: every
// later Write returns it and writes nothing, so that only the last line of a
// log can be cut.
func (l *LogWriter) Write(tag string, from, to time.Duration, h *Histogram) error {
	if l.err != nil {
		return l.err
	}
	if err := checkTag(tag); err != nil {
		return err
	}
	if from < 0 || to < from {
		return fmt.Errorf("interval %q from %v to %v ends before it begins", tag, from, to)
	}
	payload := l.encoder.encode(h)
	if tag != "" {
		tag = "Tag=" + tag + ","
	}
	from, to = from.Round(time.Millisecond), to.Round(time.Millisecond)
	largest := fixed(float64(h.largest())/perMillisecond, 3)
	if err := l.begin(); err != nil {
		return err
	}
	return l.line(fmt.Sprintf("%s%s,%s,%s,%s\n", tag, seconds(from), seconds(to-from), largest, payload))
}

// begin writes the head, unless it is written.
func (l *LogWriter) begin() error {
	if l.head == "" {
		return nil
	}
	if err := l.line(l.head); err != nil {
		return err
	}
	l.head = ""
	return nil
}

func (l *LogWriter) line(text string) error {
	n, err := io.WriteString(l.w, text)
	if err == nil {
		return nil
	}
	err = fmt.Errorf("writing the interval log: %w", err)
	if n > 0 {
		l.err = err
	}
	return err
}

// seconds formats whole milliseconds as seconds with three decimals.
func seconds(d time.Duration) string {
	return fmt.Sprintf("%d.%03d", d/time.Second, d%time.Second/time.Millisecond)
}

// checkTag refuses characters that would end a tag. The library's own check misses
// them at either end of the tag.
func checkTag(tag string) error {
	ends := func(r rune) bool { return r == ',' || unicode.IsSpace(r) || unicode.IsControl(r) }
	if strings.ContainsFunc(tag, ends) {
		return fmt.Errorf("tag %q: %w", tag, errTag)
	}
	return nil
}

var errTag = errors.New("a tag holds no comma, space or control character")

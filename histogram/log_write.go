package histogram

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"
)

// A LogWriter writes an interval log (.hlog), V2 1.3: a line for each interval
// and tag, of nanosecond values. HdrHistogram's tools in Java, Python and Go read
// it; to Java's HistogramLogProcessor give -tag. It is not safe for concurrent
// use.
type LogWriter struct {
	w       io.Writer
	err     error // of writing; nothing is written after it
	encoder encoder
}

// The lines that a log begins with. hdrhistogram-go's own writer cuts both times
// to whole seconds.
const logHead = `#[Logged with brokerbench]
#[Histogram log format version 1.3]
#[BaseTime: %s (seconds since epoch)]
#[StartTime: %[1]s (seconds since epoch), %s]
"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"
`

// javaDate is how Java's Date prints itself.
const javaDate = "Mon Jan 02 15:04:05 MST 2006"

// NewLogWriter writes the head of a log of which start is the time of offset 0,
// and returns the writer of its intervals. An error of writing is returned by
// the next Write.
//
// Every line goes to w in one call of Write, so that a process that is killed
// leaves whole lines.
func NewLogWriter(w io.Writer, start time.Time) *LogWriter {
	l := &LogWriter{w: w}
	start = start.Round(time.Millisecond).UTC()
	l.line(fmt.Sprintf(logHead, seconds(time.Duration(start.UnixMilli())*time.Millisecond), start.Format(javaDate)))
	return l
}

// Write writes what was recorded from one offset to another, under a tag; an
// empty tag is none. Offsets are written to the millisecond, rounded, so that
// intervals that follow each other do so in the file.
//
// The first error is final: it is returned by every later Write, and nothing
// more is written, so that the log ends with a whole line or a cut one.
func (l *LogWriter) Write(tag string, from, to time.Duration, h *Histogram) error {
	if l.err != nil {
		return l.err
	}
	if err := checkTag(tag); err != nil {
		return err
	}
	if from < 0 || to < from {
		return fmt.Errorf("histogram: interval %q from %v to %v ends before it begins", tag, from, to)
	}
	payload := l.encoder.encode(h)
	if tag != "" {
		tag = "Tag=" + tag + ","
	}
	from, to = from.Round(time.Millisecond), to.Round(time.Millisecond)
	largest := fixed(float64(h.largest())/perMillisecond, 3)
	l.line(fmt.Sprintf("%s%s,%s,%s,%s\n", tag, seconds(from), seconds(to-from), largest, payload))
	return l.err
}

func (l *LogWriter) line(text string) {
	if _, err := io.WriteString(l.w, text); err != nil {
		l.err = fmt.Errorf("histogram: writing the interval log: %w", err)
	}
}

// seconds formats whole milliseconds as seconds with three decimals.
func seconds(d time.Duration) string {
	return fmt.Sprintf("%d.%03d", d/time.Second, d%time.Second/time.Millisecond)
}

// checkTag refuses what would end a tag: the library's own check overlooks it at
// either end.
func checkTag(tag string) error {
	ends := func(r rune) bool { return r == ',' || unicode.IsSpace(r) || unicode.IsControl(r) }
	if strings.ContainsFunc(tag, ends) {
		return fmt.Errorf("histogram: tag %q: %w", tag, errTag)
	}
	return nil
}

var errTag = errors.New("a tag holds no comma, space or control character")

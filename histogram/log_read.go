package histogram

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

// A LogReader reads an interval log one entry at a time. It does not use the
// library's reader, which matches lines anywhere, takes a cut line for an error,
// and takes the end for success.
type LogReader struct {
	lines     *bufio.Reader
	line      int
	ranges    rangeCheck
	start     instant // what offsets count from
	base      instant // what the times in the lines count from
	truncated bool
}

// An instant is a time since the epoch that may not be known yet.
type instant struct {
	at    time.Duration
	known bool
}

// NewLogReader returns a reader of the log in r.
func NewLogReader(r io.Reader) *LogReader { return &LogReader{lines: bufio.NewReader(r)} }

// Next returns the next entry, and io.EOF at the end. A last line that was cut is
// the end too: see [LogReader.Truncated].
func (r *LogReader) Next() (Entry, error) {
	for {
		text, err := r.readLine()
		cut := err == io.EOF //nolint:errorlint // a bufio.Reader returns it as it is
		switch {
		case err != nil && !cut:
			return Entry{}, fmt.Errorf("reading the interval log: after line %d: %w", r.line, err)
		case cut && text == "":
			return Entry{}, io.EOF
		case cut && (text[0] == '#' || text[0] == '"'):
			r.truncated = true // a number in a comment may be cut and still look like one
			return Entry{}, io.EOF
		}
		r.line++
		entry, found, err := r.parse(strings.TrimRight(text, "\r\n"))
		switch {
		case err != nil && cut:
			r.truncated = true
			return Entry{}, io.EOF
		case err != nil:
			return Entry{}, fmt.Errorf("reading the interval log: line %d: %w", r.line, err)
		case found:
			return entry, nil
		}
	}
}

// readLine reads a line with its end, or what there is before the end of the log.
func (r *LogReader) readLine() (string, error) {
	var text []byte
	for {
		part, err := r.lines.ReadSlice('\n')
		text = append(text, part...)
		switch {
		case len(text) > longestInterval:
			return "", fmt.Errorf("a line is longer than the %d MiB that are read", longestInterval>>20)
		case !errors.Is(err, bufio.ErrBufferFull):
			return string(text), err
		}
	}
}

// Start returns the time of offset 0, as known from what was read so far.
func (r *LogReader) Start() time.Time { return time.Unix(0, int64(r.start.at)).UTC() }

// Truncated reports, at the end, whether the last line was cut and left out.
func (r *LogReader) Truncated() bool { return r.truncated }

// parse reads a line; found is false if it holds no interval.
func (r *LogReader) parse(text string) (e Entry, found bool, err error) {
	switch {
	case text == "" || strings.HasPrefix(text, `"StartTimestamp"`):
		return e, false, nil
	case text[0] == '#':
		return e, false, r.comment(text)
	}
	e, err = r.interval(text)
	return e, err == nil, err
}

// comment reads the two comments that matter, the start and base times, as Java,
// Python, C and old versions of hdrhistogram-go ("Basetime", no decimals) spell
// them.
func (r *LogReader) comment(text string) error {
	name, rest, _ := strings.Cut(text, ":")
	var into *instant
	switch strings.ToLower(name) {
	case "#[starttime":
		into = &r.start
	case "#[basetime":
		into = &r.base
	default:
		return nil
	}
	rest = strings.TrimLeft(rest, " ")
	at, err := parseSeconds(rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789.eE+-"))])
	if err != nil {
		return fmt.Errorf("%s: %w", name[2:], err)
	}
	*into = instant{at, true}
	return nil
}

// interval reads "[Tag=t,]start,length,max,histogram".
func (r *LogReader) interval(text string) (e Entry, err error) {
	l, err := r.undecoded(text)
	e = Entry{Tag: l.Tag, Length: l.Length}
	if err != nil {
		return e, err
	}
	if err := r.ranges.check(l.payload); err != nil {
		return e, fmt.Errorf("decoding the histogram: %w", err)
	}
	if e.Histogram, err = decode(l.payload); err != nil {
		return e, err
	}
	e.Start = r.offset(l.at)
	return e, nil
}

// undecoded reads what is around the histogram.
func (r *LogReader) undecoded(text string) (e Line, err error) {
	if rest, tagged := strings.CutPrefix(text, "Tag="); tagged {
		e.Tag, text, _ = strings.Cut(rest, ",")
	}
	columns := strings.SplitN(text, ",", 4)
	if len(columns) < 4 {
		return e, fmt.Errorf("%.40q is not start,length,max,histogram", text)
	}
	at, err1 := parseSeconds(columns[0])
	length, err2 := parseSeconds(columns[1])
	_, err3 := strconv.ParseFloat(columns[2], 64) // it follows from the histogram
	if err := errors.Join(err1, err2, err3); err != nil {
		return e, err
	}
	if length < 0 {
		return e, fmt.Errorf("the interval is %v long", length)
	}
	e.Length, e.at, e.payload = length, at, strings.TrimSpace(columns[3])
	return e, nil
}

// year is Java's rule for logs without a base time: a time that lies further before
// the start than this is relative to the start.
const year = 365 * 24 * time.Hour

// offset converts a time as written to an offset from the start.
func (r *LogReader) offset(at time.Duration) time.Duration {
	if !r.start.known {
		r.start = instant{r.base.at + at, true}
	}
	if !r.base.known {
		r.base.known = true
		if at < r.start.at-year {
			r.base.at = r.start.at
		}
	}
	return at + r.base.at - r.start.at
}

// decode reads a compressed histogram, and refuses what Java's constructor refuses.
func decode(payload string) (*Histogram, error) {
	inner, err := hdr.Decode([]byte(payload))
	if err != nil {
		return nil, fmt.Errorf("decoding the histogram: %w", err)
	}
	if low, high := inner.LowestTrackableValue(), inner.HighestTrackableValue(); high/2 < low {
		return nil, fmt.Errorf("decoding the histogram: its range is from %d to %d", low, high)
	}
	return wrap(inner), nil
}

// wrap copies a histogram of the library. Its exact smallest and largest values are
// lost, so the bounds of their buckets stand in for them.
func wrap(inner *hdr.Histogram) *Histogram {
	g := newGeometry(inner.LowestTrackableValue(), inner.HighestTrackableValue(), int(inner.SignificantFigures()))
	h := newHistogram(g)
	for i, count := range inner.Export().Counts {
		if count != 0 {
			h.add(h.value(i), count)
		}
	}
	if h.count > 0 {
		h.min, h.max = inner.Min(), inner.Max()
	}
	return &h
}

// parseSeconds reads a decimal number of seconds. It does not round unless there is
// an exponent.
func parseSeconds(text string) (time.Duration, error) {
	bad := fmt.Errorf("%.40q is not a time in seconds", text)
	if text == "" || strings.Trim(text, "0123456789.eE+-") != "" {
		return 0, bad
	}
	if !strings.ContainsAny(text, "eE") {
		if d, err := time.ParseDuration(text + "s"); err == nil {
			return d, nil
		}
		return 0, bad
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.Abs(v) > time.Duration(math.MaxInt64/2).Seconds() {
		return 0, bad
	}
	return time.Duration(v * float64(time.Second)), nil
}

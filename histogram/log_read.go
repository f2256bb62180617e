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
)

// A LogReader reads an interval log one entry at a time. It does not use the
// reader of hdrhistogram-go, which matches lines anywhere, treats a cut line as an error,
// and the end as success.
type LogReader struct {
	lines     *bufio.Reader
	line      int
	decoder   Decoder
	start     instant // offsets count from it
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

// Next returns the next entry, and io.EOF at the end. If the last line was cut, that is the
// end, too: see [LogReader.Truncated].
func (r *LogReader) Next() (Entry, error) {
	line, cut, err := r.next()
	if err != nil {
		return Entry{}, err
	}
	h, err := r.decoder.decode(line.payload)
	if err != nil {
		return Entry{}, r.wrong(err, cut)
	}
	return Entry{Tag: line.Tag, Start: r.offset(line.at), Length: line.Length, Histogram: h}, nil
}

// NextLine returns the next entry without decoding it, and io.EOF at the end. A last line
// that has no end is left out: see [LogReader.Truncated].
func (r *LogReader) NextLine() (Line, error) {
	line, cut, err := r.next()
	switch {
	case err != nil:
		return Line{}, err
	case cut:
		r.truncated = true
		return Line{}, io.EOF
	}
	line.Start = r.offset(line.at)
	return line, nil
}

// next returns the next entry, without its offset. cut reports that the line has no end.
func (r *LogReader) next() (l Line, cut bool, err error) {
	for {
		text, err := r.readLine()
		cut := err == io.EOF //nolint:errorlint // a bufio.Reader returns it unchanged
		switch {
		case err != nil && !cut:
			return l, false, fmt.Errorf("reading the interval log: after line %d: %w", r.line, err)
		case cut && (text == "" || text[0] == '#' || text[0] == '"'):
			r.truncated = r.truncated || text != "" // a number in a comment may be cut and still look like one
			return l, true, io.EOF
		}
		r.line++
		switch text = strings.TrimRight(text, "\r\n"); {
		case text == "" || strings.HasPrefix(text, `"StartTimestamp"`):
			continue
		case text[0] == '#':
			err = r.comment(text)
		default:
			l, err = undecoded(text)
			if err == nil {
				return l, cut, nil
			}
		}
		if err != nil {
			return l, cut, r.wrong(err, cut)
		}
	}
}

// wrong returns the error for a wrong line: io.EOF if the line was cut.
func (r *LogReader) wrong(err error, cut bool) error {
	if cut {
		r.truncated = true
		return io.EOF
	}
	return fmt.Errorf("reading the interval log: line %d: %w", r.line, err)
}

// readLine reads a line with its end, or the rest of the log.
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

// Start returns the time of offset 0, according to the lines read so far.
func (r *LogReader) Start() time.Time { return time.Unix(0, int64(r.start.at)).UTC() }

// Truncated reports, at the end, whether the last line was cut and left out.
func (r *LogReader) Truncated() bool { return r.truncated }

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

// undecoded reads "[Tag=t,]start,length,max,histogram".
func undecoded(text string) (l Line, err error) {
	if rest, tagged := strings.CutPrefix(text, "Tag="); tagged {
		l.Tag, text, _ = strings.Cut(rest, ",")
	}
	columns := strings.SplitN(text, ",", 4)
	if len(columns) < 4 {
		return l, fmt.Errorf("%.40q is not start,length,max,histogram", text)
	}
	at, err1 := parseSeconds(columns[0])
	length, err2 := parseSeconds(columns[1])
	_, err3 := strconv.ParseFloat(columns[2], 64) // the histogram has it, too
	if err := errors.Join(err1, err2, err3); err != nil {
		return l, err
	}
	if length < 0 {
		return l, fmt.Errorf("the interval is %v long", length)
	}
	l.Length, l.at, l.payload = length, at, strings.TrimSpace(columns[3])
	return l, nil
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

package plan

import (
	"bufio"
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/plan/schedule"
)

// A Trace says when each message is due. It holds its times, so that a run that is resumed, and
// agents, do not need its file.
type Trace struct {
	Name     string `json:"name"`   // of its file
	SHA256   string `json:"sha256"` // of its file's content
	Messages int    `json:"messages"`
	// DueNS are the times from the start of the window: the differences as varints, in DEFLATE.
	// Absent in results.
	DueNS []byte `json:"due_ns,omitempty"`
}

// Limits of a trace. Its times are in run.json, and sent to each agent.
const (
	mostLines  = 500_000
	hashDigits = 12 // of the hash, in the text of a rate
)

// ReadTrace reads a trace: a line for each message, with the seconds from the start of the window
// until it is due, in ascending order. The error names the line.
func ReadTrace(name string, from io.Reader) (Trace, schedule.Changes, error) {
	hash := sha256.New()
	lines := bufio.NewScanner(io.TeeReader(from, hash))
	var due []time.Duration
	for n := 1; lines.Scan(); n++ {
		at, err := traceLine(lines.Text(), due)
		if err != nil {
			return Trace{}, "", fmt.Errorf("%s:%d: %w", name, n, err)
		}
		due = append(due, at)
	}
	if err := lines.Err(); err != nil {
		return Trace{}, "", fmt.Errorf("reading %s: %w", name, err)
	}
	if len(due) == 0 {
		return Trace{}, "", fmt.Errorf("%s: the trace is empty: want a line for each message, with the seconds until it is due", name)
	}
	t := Trace{Name: traceName(name), SHA256: hex.EncodeToString(hash.Sum(nil)), Messages: len(due), DueNS: packed(due)}
	long := due[len(due)-1].Truncate(time.Second) + time.Second // the last message is due before the end
	if long < 2*time.Second {
		return Trace{}, "", fmt.Errorf("%s: the trace ends after %v: its percentiles are those of sections of a second, and it has two at least", name, due[len(due)-1])
	}
	return t, schedule.Changes(fmt.Sprintf("trace(%s,%s,%v)", t.Name, t.SHA256[:hashDigits], long)), nil
}

// traceLine reads a line that comes after the messages before.
func traceLine(line string, before []time.Duration) (time.Duration, error) {
	text := strings.TrimSpace(line)
	seconds, err := strconv.ParseFloat(text, 64)
	last := time.Duration(0)
	if len(before) > 0 {
		last = before[len(before)-1]
	}
	switch {
	case err != nil || math.IsNaN(seconds) || math.IsInf(seconds, 0):
		return 0, fmt.Errorf("%.40q is no number of seconds", text)
	case seconds < 0 || seconds >= schedule.MostLong.Seconds():
		return 0, fmt.Errorf("%.40s s is not between 0 and %v", text, schedule.MostLong)
	case len(before) == mostLines:
		return 0, fmt.Errorf("a trace has %d lines at most", mostLines)
	}
	at := time.Duration(math.Round(seconds * 1e9))
	if at < last {
		return 0, fmt.Errorf("the trace runs backward: %s s comes after %v s", text, last.Seconds())
	}
	return at, nil
}

// traceName returns the name of a file without its folder, as a rate can hold it.
func traceName(path string) string {
	path = path[strings.LastIndexAny(path, `/\`)+1:]
	return FileName(path[:min(len(path), 24)])
}

func packed(due []time.Duration) []byte {
	var out bytes.Buffer
	w, _ := flate.NewWriter(&out, flate.BestCompression) // the level is valid, and a buffer takes everything
	var number [binary.MaxVarintLen64]byte
	last := time.Duration(0)
	for _, d := range due {
		_, _ = w.Write(number[:binary.PutUvarint(number[:], uint64(d-last))])
		last = d
	}
	_ = w.Close()
	return out.Bytes()
}

// Due returns the times of the messages.
func (t Trace) Due() ([]time.Duration, error) {
	if t.Messages < 1 || t.Messages > mostLines {
		return nil, fmt.Errorf("trace %s: %d messages, not 1 to %d", t.Name, t.Messages, mostLines)
	}
	r := bufio.NewReader(flate.NewReader(bytes.NewReader(t.DueNS)))
	due, at := make([]time.Duration, t.Messages), uint64(0)
	for i := range due {
		gap, err := binary.ReadUvarint(r)
		if err != nil {
			return nil, fmt.Errorf("trace %s: message %d of %d: %w", t.Name, i+1, t.Messages, err)
		}
		if at += gap; gap > uint64(schedule.MostLong) || at > uint64(schedule.MostLong) {
			return nil, fmt.Errorf("trace %s: message %d is due after more than %v", t.Name, i+1, schedule.MostLong)
		}
		due[i] = time.Duration(at)
	}
	return due, nil
}

// traced returns when the messages of a trace are due; nil if the rate is none, or the settings
// do not have it.
func (s Settings) traced(c schedule.Changes) []time.Duration {
	if t, ok := s.trace(c); ok {
		due, _ := t.Due()
		return due
	}
	return nil
}

// trace returns the trace of a rate.
func (s Settings) trace(c schedule.Changes) (Trace, bool) {
	_, hash, ok := c.Trace()
	for _, t := range s.Traces {
		if ok && strings.HasPrefix(t.SHA256, hash) {
			return t, true
		}
	}
	return Trace{}, false
}

// checkTrace reports a trace that the settings do not have, or that cannot be read.
func (s Settings) checkTrace(c schedule.Changes) error {
	if _, _, ok := c.Trace(); !ok {
		return nil
	}
	t, ok := s.trace(c)
	if !ok {
		return errors.New(string(c) + ": the plan does not hold the times of the trace")
	}
	due, err := t.Due()
	if err == nil && due[len(due)-1] >= c.Long() {
		err = fmt.Errorf("%s ends after %v, behind the end", c, due[len(due)-1])
	}
	return err
}

// WithoutTimes returns the settings as results have them.
func (s Settings) WithoutTimes() Settings {
	traces := s.Traces
	s.Traces = nil
	for _, t := range traces {
		t.DueNS = nil
		s.Traces = append(s.Traces, t)
	}
	return s
}

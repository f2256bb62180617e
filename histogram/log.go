package histogram

import (
	"fmt"
	"io"
	"slices"
	"time"
)

// A Log is an interval log in memory, with 270 kB for each entry. For a log of many
// hours use a [LogReader].
type Log struct {
	Start     time.Time // the time of offset 0; that of the first interval if there is no StartTime line
	Entries   []Entry   // in the order of the file
	Truncated bool      // the last line was cut, and is not in Entries
}

// An Entry is what was recorded under one tag during one interval.
type Entry struct {
	Tag       string        // "" if it has none
	Start     time.Duration // from Log.Start
	Length    time.Duration
	Histogram *Histogram // with the range and the precision of its writer
}

// ReadLog reads an interval log that brokerbench or any port of HdrHistogram wrote: V2
// histograms, absolute or relative times, with or without tags. A last line that
// was cut is left out, and Truncated says so. Any other mistake is an error that
// names its line.
func ReadLog(r io.Reader) (Log, error) {
	var log Log
	lines := NewLogReader(r)
	for {
		entry, err := lines.Next()
		if err == io.EOF { //nolint:errorlint // Next returns it as it is
			log.Start, log.Truncated = lines.Start(), lines.Truncated()
			return log, nil
		}
		if err != nil {
			return Log{}, err
		}
		log.Entries = append(log.Entries, entry)
	}
}

// Tags returns the tags of the entries, sorted, each once.
func (l Log) Tags() []string {
	var tags []string
	for _, e := range l.Entries {
		tags = append(tags, e.Tag)
	}
	slices.Sort(tags)
	return slices.Compact(tags)
}

// Merged returns the sum of the entries with a tag. It is an error if there are
// none, or if their precisions differ.
func (l Log) Merged(tag string) (*Histogram, error) {
	var sum Sum
	for _, e := range l.Entries {
		if e.Tag != tag {
			continue
		}
		if err := sum.Add(e.Histogram); err != nil {
			return nil, fmt.Errorf("%w (tag %q at %v)", err, tag, e.Start)
		}
	}
	if sum.Histogram() == nil {
		return nil, fmt.Errorf("the log has no interval tagged %q, only %q", tag, l.Tags())
	}
	return sum.Histogram(), nil
}

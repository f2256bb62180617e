package html

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/results"
	"github.com/brokerbench/brokerbench/results/source"
)

// A detail is everything about a cell that its row does not have.
type detail struct {
	Cell      *results.Cell `json:"cell"`
	Intervals []*interval   `json:"intervals"`
	Cut       bool          `json:"cut"` // the log ended in the middle of a line
}

// An interval is one line of the timeline, from all files. Offsets are in
// milliseconds after the first due, as the log has them.
type interval struct {
	From int64 `json:"from"`
	To   int64 `json:"to"`

	Warmup *brief         `json:"warmup"` // response times of the warm-up
	Lag    *brief         `json:"lag"`
	Held   *brief         `json:"held"`
	Hiccup *brief         `json:"hiccup"`
	Usage  *results.Usage `json:"usage"`

	response, service sparse // in the blob's binary part
}

// A brief is what the timeline shows of a histogram: p50, p99 and maximum in
// nanoseconds.
type brief [3]int64

func newBrief(h *histogram.Histogram) *brief {
	return &brief{int64(h.Quantile(50)), int64(h.Quantile(99)), int64(h.Max())}
}

// newDetail reads a cell's folder. Intervals and resources may be absent.
func newDetail(c *results.Cell, folder *results.CellFolder) (*detail, error) {
	lines, sum := make(map[int64]*interval), histogram.New()
	// One entry at a time: each takes 270 kB of memory.
	head, err := source.Source{Path: folder.Dir(), Cell: c}.Intervals(func(e histogram.Entry) error {
		return at(lines, e.Start, e.Start+e.Length).add(e, sum)
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	usage, err := folder.ReadUsage()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("reading %s of %s: %w", results.ResourcesFile, c.ID, err)
	}
	for i := range usage {
		u := &usage[i]
		at(lines, time.Duration(u.FromNS), time.Duration(u.ToNS)).Usage = u
	}
	d := &detail{Cell: c, Intervals: []*interval{}, Cut: head.Cut}
	for _, from := range slices.Sorted(maps.Keys(lines)) {
		d.Intervals = append(d.Intervals, lines[from])
	}
	return d, nil
}

// at returns an interval. Logs round offsets to whole milliseconds, so the rounded
// start identifies an interval in every file.
func at(lines map[int64]*interval, from, to time.Duration) *interval {
	start := from.Round(time.Millisecond).Milliseconds()
	if lines[start] == nil {
		lines[start] = &interval{From: start, To: to.Round(time.Millisecond).Milliseconds()}
	}
	return lines[start]
}

// add adds an entry. Tags that the page does not show are left out. See newSparse
// for sum.
func (l *interval) add(e histogram.Entry, sum *histogram.Histogram) (err error) {
	switch e.Tag {
	case "response":
		l.response, err = newSparse(e.Histogram, sum)
	case "service":
		l.service, err = newSparse(e.Histogram, sum)
	case "warmup":
		l.Warmup = newBrief(e.Histogram)
	case "lag":
		l.Lag = newBrief(e.Histogram)
	case "held":
		l.Held = newBrief(e.Histogram)
	case "hiccup":
		l.Hiccup = newBrief(e.Histogram)
	}
	return err
}

package html

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/results"
	"github.com/brokerbench/brokerbench/results/source"
)

// A detail is everything about a cell that its row does not have.
type detail struct {
	Cell      *results.Cell `json:"cell"`
	Intervals []interval    `json:"intervals"`
	Cut       bool          `json:"cut"` // the log ended in the middle of a line

	// Of each interval, in the blob's binary part.
	response, service []sparse
}

// An interval is one line of the timeline. Offsets are in milliseconds after the
// first due, as the log has them.
type interval struct {
	From int64 `json:"from"`
	To   int64 `json:"to"`

	Warmup *brief         `json:"warmup"` // response times of the warm-up
	Lag    *brief         `json:"lag"`
	Hiccup *brief         `json:"hiccup"`
	Usage  *results.Usage `json:"usage"`
}

// A brief is what the timeline shows of a histogram: p50, p99 and maximum in
// nanoseconds.
type brief [3]int64

func newBrief(h *histogram.Histogram) *brief {
	return &brief{int64(h.Quantile(50)), int64(h.Quantile(99)), int64(h.Max())}
}

// newDetail reads a cell's folder. Intervals and resources may be absent.
func newDetail(c *results.Cell, folder *results.CellFolder) (*detail, error) {
	d := &detail{Cell: c, Intervals: []interval{}}
	lines := make(map[int64]*line)
	if err := d.readLog(folder, lines); err != nil && !errors.Is(err, fs.ErrNotExist) {
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
	for _, from := range slices.Sorted(maps.Keys(lines)) {
		l := lines[from]
		d.Intervals = append(d.Intervals, l.interval)
		d.response, d.service = append(d.response, l.response), append(d.service, l.service)
	}
	return d, nil
}

// A line collects the data of one interval from all files.
type line struct {
	interval
	response, service sparse
}

// at returns the line of an interval. Logs round offsets to whole milliseconds, so
// the rounded start identifies an interval in every file.
func at(lines map[int64]*line, from, to time.Duration) *line {
	start := from.Round(time.Millisecond).Milliseconds()
	l, ok := lines[start]
	if !ok {
		l = &line{interval: interval{From: start, To: to.Round(time.Millisecond).Milliseconds()}}
		lines[start] = l
	}
	return l
}

// readLog reads the log one entry at a time: each takes 270 kB of memory.
func (d *detail) readLog(folder *results.CellFolder, lines map[int64]*line) error {
	sum := histogram.New()
	head, err := source.Source{Path: folder.Dir(), Cell: d.Cell}.Intervals(func(e histogram.Entry) error {
		return at(lines, e.Start, e.Start+e.Length).add(e, sum)
	})
	d.Cut = head.Cut
	return err
}

// add adds an entry. Tags that the page does not show are left out. See newSparse
// for sum.
func (l *line) add(e histogram.Entry, sum *histogram.Histogram) (err error) {
	switch e.Tag {
	case "response":
		l.response, err = newSparse(e.Histogram, sum)
	case "service":
		l.service, err = newSparse(e.Histogram, sum)
	case "warmup":
		l.Warmup = newBrief(e.Histogram)
	case "lag":
		l.Lag = newBrief(e.Histogram)
	case "hiccup":
		l.Hiccup = newBrief(e.Histogram)
	}
	return err
}

func number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

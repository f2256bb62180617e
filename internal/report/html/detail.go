package html

import (
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/internal/report/input"
	"github.com/brokerbench/brokerbench/internal/report/plot"
	"github.com/brokerbench/brokerbench/internal/source"
	"github.com/brokerbench/brokerbench/results"
)

// A detail is everything about a cell that its row does not have.
type detail struct {
	Cell      *results.Cell `json:"cell"`
	Intervals []*interval   `json:"intervals"`
	Due       []float64     `json:"due,omitempty"`        // messages due per second in each interval, of a section of a rate that changes
	Nodes     []string      `json:"nodes,omitempty"`      // names of those in the intervals
	MoreNodes int           `json:"more_nodes,omitempty"` // how many are not in them
	Chart     string        `json:"chart,omitempty"`      // of its percentiles: an SVG
	Cut       bool          `json:"cut"`                  // the log ended in the middle of a line
}

// An interval is one line of the timeline, from all files: one of the log, or several
// of a long one. Offsets are in
// milliseconds after the first due, as the log has them.
type interval struct {
	From int64 `json:"from"`
	To   int64 `json:"to"`

	Warmup *brief         `json:"warmup"` // response times of the warm-up
	Lag    *brief         `json:"lag"`
	Held   *brief         `json:"held"`
	Hiccup *brief         `json:"hiccup"`
	Usage  *results.Usage `json:"usage"`
	Nodes  []nodeSpan     `json:"nodes,omitempty"` // as in detail.Nodes; those at the end may be missing

	response, service sparse            // in the blob's binary part
	tags              map[string]sparse // until the interval is ready
}

// shownTags are the tags of the log that the page shows.
var shownTags = []string{"response", "service", "warmup", "lag", "held", "hiccup"}

// A brief is what the timeline shows of a histogram: p50, p99 and maximum in
// nanoseconds.
type brief [3]int64

// newDetail reads a cell's folder. Intervals, resources and nodes may be absent.
func newDetail(s source.Source, o plot.Options) (*detail, error) {
	t, c, folder := newTimeline(), s.Cell, results.OpenCell(s.Path)
	// One entry at a time: each takes 270 kB of memory.
	head, err := s.Intervals(t.add)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	usage, err := folder.ReadUsage()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("reading %s of %v: %w", results.ResourcesFile, c.Plan, err)
	}
	for _, u := range usage {
		t.addUsage(u)
	}
	d := &detail{Cell: c, Cut: head.Cut}
	if err := d.addNodes(t, folder); err != nil {
		return nil, err
	}
	d.Intervals = t.intervals()
	if c.Plan.Shape.Section > 0 {
		for _, i := range d.Intervals {
			d.Due = append(d.Due, c.Plan.DueRate(time.Duration(i.From)*time.Millisecond, time.Duration(i.To)*time.Millisecond))
		}
	}
	d.Chart, err = inline(drawCell(s, o))
	return d, err
}

// drawCell draws the percentiles of a cell.
func drawCell(s source.Source, o plot.Options) (*plot.Chart, error) {
	var curves []input.Curve
	tags := []string{source.Response, source.Service}
	if first := s.Cell.First; first != nil && first.Count > 0 {
		tags = append(tags, source.First, source.Each)
	}
	for _, tag := range tags {
		c, err := input.NewCurve([]source.Source{s}, tag, tag)
		if err != nil {
			return nil, err
		}
		curves = append(curves, c)
	}
	o.Title = "Time by percentile: " + words.And(tags)
	return plot.Percentiles(curves, "", o)
}

package input

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/internal/source"
	"github.com/brokerbench/brokerbench/results"
)

// A Series is a log over time.
type Series struct {
	Subject

	Tag     string
	Spans   []Span // of the tag
	Hiccups []Span // how long the measuring process was runnable but not scheduled; nil if not measured
	Cut     bool   // the log's last line is incomplete, and left out
}

// A Span is one interval of a log.
type Span struct {
	From, To      time.Duration // from the log's start
	P50, P99, Max time.Duration
	Count, Above  int64 // samples, and how many rank above p99
}

// Median returns the median of the intervals' medians, if there is one.
func (s Series) Median() (median time.Duration, known bool) {
	medians := make([]time.Duration, len(s.Spans))
	for i, span := range s.Spans {
		medians[i] = span.P50
	}
	if len(medians) == 0 {
		return 0, false
	}
	slices.Sort(medians)
	return medians[len(medians)/2], true
}

// NewSeries reads the timeline of a cell or a log, of response times or what tag
// says instead. See [source.ChooseTag].
func NewSeries(s source.Source, tag, name string) (Series, error) {
	if s.Table != nil {
		return Series{}, fmt.Errorf("%s: %w: a percentile table has no times (want the folder of a run or of a cell, or a .hlog)", s.Path, ErrInput)
	}
	spans := make(map[string][]Span)
	head, err := s.Intervals(func(e histogram.Entry) error {
		if e.Histogram.Count() > 0 {
			spans[e.Tag] = append(spans[e.Tag], spanOf(e, s.Scale()))
		} else if spans[e.Tag] == nil {
			spans[e.Tag] = []Span{}
		}
		return nil
	})
	if err != nil {
		return Series{}, err
	}
	if tag == "" && s.Tag != source.Corrected { // which is in no log
		tag = s.Tag
	}
	unanswered := s.Unanswered(tag)
	tag, err = source.ChooseTag(tag, slices.Sorted(maps.Keys(spans)))
	if err != nil && unanswered {
		tag, err = source.Response, nil
	}
	if err != nil {
		return Series{}, fmt.Errorf("%s: %w", s.LogPath(), err)
	}
	series := Series{Subject: subjectOf([]source.Source{s}, name), Tag: tag, Spans: spans[tag], Cut: head.Cut}
	if tag != source.Hiccup {
		series.Hiccups = spans[source.Hiccup]
	}
	return series, nil
}

func spanOf(e histogram.Entry, unit float64) Span {
	h := e.Histogram
	p99, above, _ := h.QuantileOf(99, h.Count())
	return Span{
		From: e.Start, To: e.Start + e.Length, P50: scaled(h.Quantile(50), unit), P99: scaled(p99, unit), Max: scaled(h.Max(), unit),
		Count: h.Count(), Above: above,
	}
}

// An Event happened on a connection, such as a disconnect, or it belongs to a fault: its
// beginning or a step of the recovery.
type Event struct {
	At    time.Duration // from the log's start
	Text  string
	Fault bool // it is of a fault
}

func eventsOf(s source.Source) (list []Event) {
	if s.Cell == nil {
		return nil
	}
	for _, e := range s.Cell.FaultEvents() {
		list = append(list, Event{time.Duration(e.AtNS), e.Text, true})
	}
	for _, e := range causeEvents(s.Cell) {
		list = append(list, Event{time.Duration(e.AtNS), e.Text, false})
	}
	for _, e := range s.Cell.Events {
		list = append(list, Event{time.Duration(e.AtNS), e.Text, false})
	}
	return list
}

// causeEvents returns the pauses of a cell that have a cause.
func causeEvents(c *results.Cell) (list []results.Event) {
	if c.Causes == nil {
		return nil
	}
	for _, m := range c.Causes.Marks {
		if len(m.Of) > 0 {
			names := words.Join(m.Of, ", ", func(i int) string { return c.Causes.Causes[i].Name() })
			list = append(list, results.Event{AtNS: m.FromNS, Text: "a pause: " + names})
		}
	}
	return list
}

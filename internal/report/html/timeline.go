package html

import (
	"math"
	"slices"
	"sort"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/results"
)

// The page of a cell has as many lines and buckets as these at most, however long the
// log is: 32 MB, and more lines than a screen has pixels.
const (
	mostLines   = 1200
	mostBuckets = 1 << 21
)

// A timeline makes the intervals of a page from the entries of a log, in their order.
// When there are too many, neighbours become one.
type timeline struct {
	lines   []*interval
	span    int // how many intervals of the log make one line
	last    int // how many are in the last line
	buckets int
	nodes   []string             // of the target, also those that the page does not show
	sum     *histogram.Histogram // see newSparse
}

func newTimeline() *timeline { return &timeline{span: 1, sum: histogram.New()} }

// add adds an entry. Tags that the page does not show are left out.
func (t *timeline) add(e histogram.Entry) error {
	if !slices.Contains(shownTags, e.Tag) {
		return nil
	}
	s, err := newSparse(e.Histogram, t.sum)
	if err != nil {
		return err
	}
	line := t.at(e.Start, e.Start+e.Length)
	before := len(line.tags[e.Tag])
	line.tags[e.Tag] = line.tags[e.Tag].plus(s)
	t.buckets += len(line.tags[e.Tag]) - before
	t.bound()
	return nil
}

// bound makes the lines fewer while there are too many.
func (t *timeline) bound() {
	for (t.buckets > mostBuckets || len(t.lines) > mostLines) && len(t.lines) > 1 {
		t.halve()
	}
}

// at returns the line of an interval. Logs round offsets to whole milliseconds, so the
// rounded start identifies an interval in every file.
func (t *timeline) at(from, to time.Duration) *interval {
	start, end := from.Round(time.Millisecond).Milliseconds(), to.Round(time.Millisecond).Milliseconds()
	n := sort.Search(len(t.lines), func(i int) bool { return t.lines[i].From > start })
	if n > 0 && (start < t.lines[n-1].To || start == t.lines[n-1].From) {
		return t.lines[n-1]
	}
	if n > 0 && n == len(t.lines) && t.last < t.span {
		t.last++
		t.lines[n-1].To = end
		return t.lines[n-1]
	}
	line := &interval{From: start, To: end, tags: make(map[string]sparse)}
	if t.lines = slices.Insert(t.lines, n, line); n == len(t.lines)-1 {
		t.last = 1
	}
	return line
}

// halve makes one line of two neighbours, everywhere.
func (t *timeline) halve() {
	t.buckets = 0
	half := t.lines[:0]
	for i, line := range t.lines {
		if i%2 == 1 {
			half[len(half)-1].merge(line)
			continue
		}
		half = append(half, line)
	}
	t.last = t.span*(1-len(t.lines)%2) + t.last
	clear(t.lines[len(half):])
	t.lines = half
	for _, line := range half {
		for _, s := range line.tags {
			t.buckets += len(s)
		}
	}
	t.span *= 2
}

// addUsage adds what was used in an interval of the resources.
func (t *timeline) addUsage(u results.Usage) {
	t.at(time.Duration(u.FromNS), time.Duration(u.ToNS)).addUsage(&u)
	t.bound()
}

// intervals returns the lines, ready for the page.
func (t *timeline) intervals() []*interval {
	for _, line := range t.lines {
		line.response, line.service = line.tags["response"], line.tags["service"]
		line.Warmup, line.Lag = line.tags["warmup"].brief(), line.tags["lag"].brief()
		line.Held, line.Hiccup = line.tags["held"].brief(), line.tags["hiccup"].brief()
		line.tags = nil
	}
	return append([]*interval{}, t.lines...) // [], not null
}

// merge adds another interval, which follows.
func (l *interval) merge(next *interval) {
	l.To = next.To
	for tag, s := range next.tags {
		l.tags[tag] = l.tags[tag].plus(s)
	}
	l.addNodes(next.Nodes)
	l.addUsage(next.Usage)
}

func (l *interval) addUsage(next *results.Usage) {
	switch {
	case l.Usage == nil:
		l.Usage = next
	case next != nil:
		l.Usage = new(results.TotalUsage([]results.Usage{*l.Usage, *next}))
	}
}

// plus returns the sum of two histograms.
func (s sparse) plus(other sparse) sparse {
	if len(s) == 0 {
		return other
	}
	sum := make(sparse, 0, max(len(s), len(other)))
	for len(s) > 0 && len(other) > 0 {
		switch a, b := s[0], other[0]; {
		case a.index < b.index:
			sum, s = append(sum, a), s[1:]
		case a.index > b.index:
			sum, other = append(sum, b), other[1:]
		default:
			sum, s, other = append(sum, bucket{a.index, a.count + b.count}), s[1:], other[1:]
		}
	}
	return slices.Clip(append(append(sum, s...), other...))
}

// brief returns what the timeline shows of a histogram; nil if it holds nothing.
func (s sparse) brief() *brief {
	if len(s) == 0 {
		return nil
	}
	n := int64(0)
	for _, b := range s {
		n += b.count
	}
	return &brief{s.at(rank(50, n)), s.at(rank(99, n)), s.at(n)}
}

func rank(percentile float64, n int64) int64 {
	return max(int64(math.Ceil(percentile/100*float64(n))), 1)
}

// at returns the value of a rank.
func (s sparse) at(rank int64) int64 {
	for _, b := range s {
		if rank -= b.count; rank <= 0 {
			return highestOf(b.index)
		}
	}
	return 0
}

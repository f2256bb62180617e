package plot

import (
	"fmt"
	"slices"

	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/internal/report/input"
	"github.com/brokerbench/brokerbench/results"
)

// A nodeQuantity is something that nodes use.
type nodeQuantity struct {
	name, title string // the title of bytes has a place for their unit
	bytes       bool
	rate        bool // for each second that it ran
	seldom      bool // it is not drawn if it is 0 all the time
	count       func(results.NodeSpan) *int64
}

func nodeQuantities() []nodeQuantity {
	return []nodeQuantity{
		{name: "CPU", title: "CPU (cores)", rate: true, count: func(s results.NodeSpan) *int64 { return s.CPUNS }},
		{name: "memory", title: "Resident memory (%s)", bytes: true, count: func(s results.NodeSpan) *int64 { return s.ResidentBytes }},
		{name: "bytes written", title: "Written to files (%s/s)", bytes: true, rate: true, count: func(s results.NodeSpan) *int64 { return s.WrittenBytes }},
		{name: "bytes read", title: "Read from disks (%s/s)", bytes: true, rate: true, seldom: true, count: func(s results.NodeSpan) *int64 { return s.ReadBytes }},
	}
}

// value returns the quantity in a stretch; nil if it is not known, or no process was there.
func (q nodeQuantity) value(s results.NodeSpan) *float64 {
	n := q.count(s)
	switch {
	case s.RanNS == 0 || n == nil:
		return nil
	case q.rate && q.bytes:
		return new(float64(*n) / float64(s.RanNS) * 1e9)
	case q.rate:
		return new(float64(*n) / float64(s.RanNS))
	}
	return new(float64(*n))
}

// unit returns the title of an axis up to most, and the size of its unit.
func (q nodeQuantity) unit(most float64) (title string, size float64) {
	if !q.bytes {
		return q.title, 1
	}
	name, size := "B", 1.0
	for _, larger := range []string{"KiB", "MiB", "GiB"} {
		if most >= size*1024 {
			name, size = larger, size*1024
		}
	}
	return fmt.Sprintf(q.title, name), size
}

// unknown names the nodes that ran, but whose quantity is never known.
func (q nodeQuantity) unknown(all []input.Nodes) string {
	var names []string
	for _, n := range all {
		for _, node := range n.Nodes {
			ran := slices.ContainsFunc(node.Spans, func(s input.NodeSpan) bool { return s.RanNS > 0 })
			known := slices.ContainsFunc(node.Spans, func(s input.NodeSpan) bool { return q.value(s.NodeSpan) != nil })
			if label := nodeLabel(n, node, all); ran && !known && !slices.Contains(names, label) {
				names = append(names, label)
			}
		}
	}
	if len(names) > maxNamed {
		names = append(names[:maxNamed:maxNamed], "others")
	}
	return words.And(names)
}

package input

import (
	"time"

	"github.com/brokerbench/brokerbench/internal/source"
	"github.com/brokerbench/brokerbench/results"
)

// slowestFloor returns the floor with the highest p99 of some cells, since each cell has one of
// its own; nil if none was measured.
func slowestFloor(repeats []source.Source) (points []Point) {
	slowest := time.Duration(-1)
	for _, s := range repeats {
		if s.Cell == nil || s.Cell.Floor == nil {
			continue
		}
		d := s.Cell.Floor.Echo.Response
		row, _ := d.At(99)
		if p99, _ := row.Value(); p99 > slowest {
			slowest, points = p99, floorOf(d)
		}
	}
	return points
}

// floorOf returns the points that cell.json has of a floor.
func floorOf(d results.Distribution) (points []Point) {
	if d.Count == 0 {
		return nil
	}
	points = append(points, Point{Value: time.Duration(d.MinNS)})
	for _, row := range d.Percentiles {
		if p, known := pointOf(row); known {
			points = append(points, p)
		}
	}
	return append(points, Point{Percentile: lastPercentile(d.Count), Value: time.Duration(d.MaxNS)})
}

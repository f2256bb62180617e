package plot

import (
	"slices"
	"time"
)

// floors returns those of the curves, each once.
func floors(curves []Curve) (list [][]Point) {
	for _, c := range curves {
		same := func(f []Point) bool { return slices.Equal(f, c.Floor) }
		if len(c.Floor) > 0 && !slices.ContainsFunc(list, same) {
			list = append(list, c.Floor)
		}
	}
	return list
}

// floorMarks draws a floor as a line, and several as the area from the lowest to the
// highest, which is a line: they are measured anew before each cell, and no line is worth a name.
func floorMarks(curves []Curve, k inks) []mark {
	list := floors(curves)
	switch len(list) {
	case 0:
		return nil
	case 1:
		return []mark{line{xys(list[0]), k.floorStroke()}}
	}
	var upper, lower []xy
	for _, p := range list[0] {
		low, high, everywhere := p.Value, p.Value, true
		for _, floor := range list[1:] {
			v, found := valueAt(floor, p.Percentile)
			low, high, everywhere = min(low, v), max(high, v), everywhere && found
		}
		if everywhere {
			upper, lower = append(upper, xy{p.Percentile, millis(high)}), append(lower, xy{p.Percentile, millis(low)})
		}
	}
	slices.Reverse(lower)
	return []mark{area{slices.Concat(upper, lower), veil(k.floor)}, line{upper, k.floorStroke()}}
}

// floorKey explains what floorMarks draws.
func floorKey(curves []Curve, k inks) entry {
	const echo = "a TCP echo in place of the broker"
	if n := len(floors(curves)); n > 1 {
		return entry{text: "floors, lowest to highest: " + echo, band: veil(k.floor), style: k.floorStroke()}
	}
	return entry{text: "floor: " + echo, style: k.floorStroke()}
}

func valueAt(points []Point, percentile float64) (v time.Duration, found bool) {
	i := slices.IndexFunc(points, func(p Point) bool { return p.Percentile == percentile })
	if i < 0 {
		return 0, false
	}
	return points[i].Value, true
}

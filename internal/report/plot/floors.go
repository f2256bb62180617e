package plot

import (
	"github.com/brokerbench/brokerbench/internal/report/input"
)

// floorMarks draws the floor that ends highest, and explains it.
func floorMarks(curves []input.Curve, k inks) (drawn []mark, keys []entry) {
	var slowest []input.Point
	of := 0
	for _, c := range curves {
		if len(c.Floor) == 0 {
			continue
		}
		if of++; slowest == nil || c.Floor[len(c.Floor)-1].Value > slowest[len(slowest)-1].Value {
			slowest = c.Floor
		}
	}
	if of == 0 {
		return nil, nil
	}
	text := "floor: a TCP echo in place of the broker"
	if of > 1 {
		text += ", the slowest"
	}
	return []mark{line{xys(slowest), k.floorStroke()}}, []entry{{text: text, style: k.floorStroke()}}
}

package plot

import (
	"cmp"
	"image/color"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// An end is the name of a line, to the right of the panel, at the height of its last value.
type end struct {
	name  string
	value float64
	color color.Color
}

// endGap is the room before a name, and endRoom that of a name, in pixels.
const (
	endGap  = 8
	endRoom = 14
)

// names writes the names of lines, each as near to its value as the others let it be.
func (p panel) names(c *draw.Canvas, t typeface) {
	ends := slices.SortedFunc(slices.Values(p.ends), func(a, b end) int { return cmp.Compare(a.value, b.value) })
	heights := make([]vg.Length, len(ends))
	for i, e := range ends {
		heights[i] = c.Y(p.y.at(e.value))
	}
	for i, y := range apart(heights, endRoom*px, c.Max.Y) {
		style := t.small
		style.Color, style.YAlign = ends[i].color, middle
		c.FillText(style, vg.Point{X: c.Max.X + endGap*px, Y: y}, ends[i].name)
	}
}

// apart moves sorted heights as little as makes neighbours a room apart: those that are too close are
// centred around their mean. None is above the top.
func apart(heights []vg.Length, room, top vg.Length) (moved []vg.Length) {
	type cluster struct {
		sum vg.Length // of the lowest place that each of its heights would give it
		n   int
	}
	var clusters []cluster
	low := func(c cluster) vg.Length {
		n := vg.Length(c.n)
		return min(c.sum/n, top-(n-1)*room)
	}
	for _, h := range heights {
		c := cluster{h, 1}
		for last := len(clusters) - 1; last >= 0 && low(clusters[last])+vg.Length(clusters[last].n)*room > low(c); last-- {
			before := clusters[last]
			c.sum += before.sum - vg.Length(before.n*c.n)*room
			c.n += before.n
			clusters = clusters[:last]
		}
		clusters = append(clusters, c)
	}
	for _, c := range clusters {
		for i := range c.n {
			moved = append(moved, low(c)+vg.Length(i)*room)
		}
	}
	return moved
}

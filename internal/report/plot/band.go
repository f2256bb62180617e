package plot

import (
	"slices"
	"time"

	"gonum.org/v1/plot/vg/draw"

	"github.com/brokerbench/brokerbench/internal/report/input"
)

// maxBands is how many curves may have bands. More would cover each other, so they
// have bars instead.
const maxBands = 4

// confidence returns a band around a curve, or bars if there are many curves.
func confidence(c input.Curve, style draw.LineStyle, curves int) (drawn []mark) {
	if curves > maxBands {
		for _, p := range c.Band {
			drawn = append(drawn, bar(p.Percentile, p.Low, p.High, style))
		}
		return drawn
	}
	var upper, lower []xy
	for i, p := range c.Band {
		upper = append(upper, xy{p.Percentile, millis(p.High)})
		lower = append(lower, xy{p.Percentile, millis(p.Low)})
		if i+1 < len(c.Band) {
			above, below := between(c, p, c.Band[i+1])
			upper, lower = append(upper, above...), append(lower, below...)
		}
	}
	slices.Reverse(lower)
	return []mark{area{append(upper, lower...), veil(style.Color)}}
}

// bar draws a confidence interval as a vertical line.
func bar(x float64, low, high time.Duration, style draw.LineStyle) mark {
	style = thin(style)
	style.Dashes = nil
	return line{[]xy{{x, millis(low)}, {x, millis(high)}}, style}
}

// between returns the band between two percentiles with known confidence. Its
// bounds, in proportion to the line's value, are interpolated between the two. A
// straight edge would miss the line where it has a knee.
func between(c input.Curve, a, b input.Point) (above, below []xy) {
	if a.Value <= 0 || b.Value <= 0 {
		return nil, nil
	}
	from, to := toNines(a.Percentile), toNines(b.Percentile)
	mix := func(x, y, way float64) float64 { return x + (y-x)*way }
	for _, p := range c.Line {
		if p.Percentile <= a.Percentile || p.Percentile >= b.Percentile {
			continue
		}
		way := (toNines(p.Percentile) - from) / (to - from)
		high := mix(float64(a.High)/float64(a.Value), float64(b.High)/float64(b.Value), way)
		low := mix(float64(a.Low)/float64(a.Value), float64(b.Low)/float64(b.Value), way)
		above = append(above, xy{p.Percentile, millis(p.Value) * high})
		below = append(below, xy{p.Percentile, millis(p.Value) * low})
	}
	return above, below
}

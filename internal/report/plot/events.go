package plot

import (
	"fmt"

	"gonum.org/v1/plot/vg/draw"

	"github.com/brokerbench/brokerbench/internal/report/input"
	"github.com/brokerbench/brokerbench/internal/report/palette"
)

// maxEvents is how many are listed in the legend.
const maxEvents = 6

// moments draws a line at each event, through the whole height of a panel.
func moments(events []input.Event, x, y axis, k inks) (drawn []mark) {
	for _, e := range events {
		at := e.At.Seconds()
		if at >= x.min && at <= x.max {
			drawn = append(drawn, line{[]xy{{at, y.min}, {at, y.max}}, momentStroke(k, e)})
		}
	}
	return drawn
}

// momentStroke is whole for faults.
func momentStroke(k inks, e input.Event) draw.LineStyle {
	if e.Fault {
		return dashed(k.black, 1, nil)
	}
	return dashed(k.black, 1, palette.Dash(2))
}

// eventKeys lists the events in the legend.
func eventKeys[T interface{ About() input.Subject }](all []T, k inks) (keys []entry) {
	n := 0
	for _, s := range all {
		for _, e := range s.About().Events {
			n++
			if n > maxEvents {
				continue
			}
			text := fmt.Sprintf("%.1f s: %s", e.At.Seconds(), e.Text)
			if len(all) > 1 {
				text = s.About().Name + " " + text
			}
			keys = append(keys, entry{text: text, style: momentStroke(k, e)})
		}
	}
	if n > maxEvents {
		keys = append(keys, entry{text: fmt.Sprintf("and %d more", n-maxEvents)})
	}
	return keys
}

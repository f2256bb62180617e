package plot_test

import (
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/report/palette"
	"github.com/brokerbench/brokerbench/internal/report/plot"
	"github.com/brokerbench/brokerbench/internal/resultstest"
	"github.com/brokerbench/brokerbench/results"
)

// repeated is a run of three repeats of two targets, of which the second is not fit.
func repeated(t *testing.T, missing int64) string {
	var cells []resultstest.Cell
	for repeat := range 3 {
		for target, name := range []string{"nats", "redis"} {
			c := resultstest.Cell{
				Target: name, Rate: 1000, Repeat: repeat + 1, Missing: missing,
				Seconds: stalled(1000, 4, 99, time.Duration(1+repeat+3*target)*time.Millisecond), Change: known,
			}
			if repeat == 2 {
				c.Change = func(c *results.Cell) {
					known(c)
					c.Judge([]results.Problem{{Code: "few", Severity: results.Suspect}})
				}
			}
			cells = append(cells, c)
		}
	}
	return resultstest.Write(t, "repeated", cells...)
}

// Repeats are one line of all their messages, in a band from the lowest to the highest.
func TestRepeatsAreOneLine(t *testing.T) {
	all, common := curves(t, find(t, repeated(t, 0)))
	if len(all) != 2 || all[0].Name != "nats" || all[0].Repeats != 3 || all[0].Verdict != results.Suspect {
		t.Fatalf("%d curves, the first is %+v", len(all), all[0])
	}
	for i, p := range all[0].Band {
		if p.Low > p.Value || p.High < p.Value || p.High < p.Low+1900*time.Microsecond {
			t.Errorf("band %d: %+v, want the 1 to 3 ms that the repeats are apart, with the line inside", i, p)
		}
	}
	if n := len(all[0].Band); n < 3 || len(all[0].Floor) == 0 {
		t.Errorf("%d percentiles in the band, %d in the floor", n, len(all[0].Floor))
	}
	drawn(t, "repeats.svg", must(t)(plot.Percentiles(all, common, plot.Options{})))
}

// What is missing in any repeat ranks above all messages.
func TestRepeatsWithMissingMessages(t *testing.T) {
	all, _ := curves(t, find(t, repeated(t, 100)))
	line := all[0].Line
	end := line[len(line)-1]
	if !all[0].Beyond || end.Above != 300 || end.Percentile > 100*12000./12300 {
		t.Errorf("the line ends with %+v", end)
	}
	for i := range line[1:] {
		if line[i+1].Percentile < line[i].Percentile {
			t.Errorf("point %d is at p%v, behind p%v", i+1, line[i+1].Percentile, line[i].Percentile)
		}
	}
}

// Who names one repeat gets that one; a cell that is named twice is not added up.
func TestOneRepeatAlone(t *testing.T) {
	dir := repeated(t, 0)
	one := find(t, resultstest.Folder(t, dir, 0))
	all, _ := curves(t, append(one, find(t, resultstest.Folder(t, dir, 0))...))
	if len(all) != 2 || all[0].Repeats != 1 || all[1].Repeats != 1 {
		t.Errorf("%+v", all)
	}
}

func TestTitleThemeAndScale(t *testing.T) {
	all, common := curves(t, find(t, repeated(t, 0)))
	plain := must(t)(plot.Percentiles(all, common, plot.Options{}))
	dark := must(t)(plot.Percentiles(all, common, plot.Options{Title: "Mine & yours", Theme: palette.Dark, Scale: 2}))
	w, h := plain.Size()
	if w2, h2 := dark.Size(); w2 != 2*w || h2 != 2*h {
		t.Errorf("%d×%d at scale 2, %d×%d at 1", w2, h2, w, h)
	}
	svg := drawn(t, "dark.svg", dark)
	wantTexts(t, svg, "Mine &amp; yours")
	for _, bad := range []string{"#FFFFFF", "#1A1A1A", "Response time by percentile"} {
		if strings.Contains(svg, bad) {
			t.Errorf("the dark chart has %s", bad)
		}
	}
	if !strings.Contains(svg, `width="1440pt"`) || !strings.Contains(svg, `viewBox="0 0 720 `) {
		t.Errorf("the size: %.200s", svg)
	}
	for _, o := range []plot.Options{{Scale: 9}, {Scale: 0.1}, {Scale: 8, Width: 2000}} {
		if _, err := plot.Percentiles(all, common, o); err == nil {
			t.Errorf("%+v is drawn", o)
		}
	}
}

package html_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/report/palette"
	"github.com/brokerbench/brokerbench/results"
)

// around returns a distribution of so many values from a time to half as much again.
func around(typical time.Duration, missing int64) results.Distribution {
	h := histogram.New()
	for i := range 8000 {
		h.Record(typical + typical*time.Duration(i)/16_000)
	}
	return results.NewDistribution(h, missing)
}

// probed gives a cell probes: published only if it is above 0.
func probed(lag, published, ack, delivered time.Duration, missing int64) func(*results.Cell) {
	return func(c *results.Cell) {
		c.Lag, c.Response = around(lag, 0), around(delivered, missing)
		if published > 0 {
			d := around(published, missing)
			c.Published = &d
		}
		if ack > 0 {
			d := around(ack, missing)
			c.Ack, c.Complete = &d, &d
		}
	}
}

func durables(t testing.TB) *results.Store {
	const us = time.Microsecond
	return newStore(t, "durables",
		measurement{target: "redis", rate: 2000, window: 4, change: probed(20*us, 60*us, 200*us, 400*us, 0)},
		measurement{target: "jetstream", rate: 2000, window: 4, change: probed(20*us, 0, 600*us, 500*us, 0)},
		measurement{target: "lossy", rate: 2000, window: 4, lost: 400, change: probed(20*us, 80*us, 300*us, 600*us, 400)},
		measurement{target: "nats", rate: 2000, window: 4, change: probed(20*us, 0, 0, 100*us, 0)},
	)
}

// The charts that were drawn before have their colours from the page, an id of their own, and
// no more room than there is, on a wide and a narrow screen.
func TestDrawnChartsFollowThePage(t *testing.T) {
	path, _ := write(t, durables(t))
	for scheme, name := range map[palette.Scheme]string{palette.Light: "light", palette.Dark: "dark"} {
		for _, width := range []int64{1360, 390} {
			b := open(t, path, name, width, 900)
			var page struct {
				IDs    []string
				Stroke string
				Over   int
				Styles int
			}
			b.eval(`({ids: [...document.querySelectorAll("figure.drawn")].map((e) => e.id), stroke: getComputedStyle(document.querySelector('#percentiles [stroke="var(--hue-0-0)"]')).stroke,
				over: document.documentElement.scrollWidth - innerWidth, styles: document.querySelectorAll("figure.drawn [style]").length})`, &page)
			if slices.Sort(page.IDs); len(page.IDs) != 3 || len(slices.Compact(page.IDs)) != 3 {
				t.Errorf("figures %q", page.IDs)
			}
			c := palette.Style{}.Color(scheme)
			if want := fmt.Sprintf("rgb(%d, %d, %d)", c.R, c.G, c.B); page.Stroke != want || page.Over > 0 || page.Styles > 0 {
				t.Errorf("%s, %d pixels: %+v, want %s", name, width, page, want)
			}
			b.screenshot(fmt.Sprintf("drawn-%s-%d", name, width))
		}
	}
}

// A section has a button for each variant of its charts.
func TestVariantsOfCharts(t *testing.T) {
	b := show(t, "light", durables(t))
	title := func() (text string) {
		b.eval(`document.querySelector("#probes svg").getAttribute("aria-label")`, &text)
		return text
	}
	if got := title(); !strings.HasSuffix(got, "p99") {
		t.Errorf("at first %q", got)
	}
	b.settle(`[...document.querySelectorAll("#probes .choice button")].find((b) => b.textContent === "p50").click()`)
	if got := title(); !strings.HasSuffix(got, "p50") {
		t.Errorf("after p50 %q", got)
	}
}

// Where lag and response are all there is, the answer has them.
func TestNoChartOfTwoProbes(t *testing.T) {
	b := show(t, "light", newStore(t, "plain", four()[0]))
	var hidden bool
	if b.eval(`document.getElementById("probes-section").hidden`, &hidden); !hidden {
		t.Error("probes are shown")
	}
}

// However many cells lose messages, and whatever else there is to say, each loss is said.
func TestALossIsAlwaysSaid(t *testing.T) {
	lose := func(c *results.Cell) {
		c.Audit = &results.Audit{Acked: 10, Kept: 9, Missing: 1, First: &results.MessageID{Seq: 7}, Last: &results.MessageID{Seq: 7}}
	}
	var list []measurement
	for i := range 9 {
		list = append(list, measurement{target: fmt.Sprint("t", i), rate: 2000, window: 1, change: lose})
	}
	store := newStore(t, "lost", list...)
	editRun(t, store, func(run *results.Run) {
		run.Interrupted = true
		for i := range 9 {
			run.Cells = append(run.Cells, results.Entry{ID: fmt.Sprint("dead-", i), Error: fmt.Sprint("cause ", i)})
		}
	})
	b := show(t, "light", store)
	var notices []string
	b.eval(`[...document.querySelectorAll(".notice")].map((e) => e.textContent)`, &notices)
	text := strings.Join(notices, "\n")
	for _, m := range list {
		if name := m.target + ", 1 KiB at 2,000/s"; !strings.Contains(text, name) {
			t.Errorf("%s is not said to have lost anything", name)
		}
	}
	if len(notices) > 8 || !strings.HasPrefix(notices[0], "Lost: ") || !strings.Contains(text, "interrupted") || !strings.Contains(text, "Not measured: dead-0") || !strings.Contains(text, "… and 8 more causes") {
		t.Errorf("%d notices: %s", len(notices), text)
	}
}

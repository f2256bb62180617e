package html_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
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

// stackOf is what the page shows of the probes.
type stackOf struct {
	Head, Controls []string
	Rows           [][]string // names and numbers
	Bars           [][]string // the probes of the bars, the longest first
	Widths         [][]float64
	Caption, Key   string
	Crosses        int
	Hidden         bool
}

func stackShown(b *tab) (page stackOf) {
	b.eval(`(() => { const of = (s, f) => [...document.querySelectorAll(s)].map(f), text = (e) => e.textContent.trim();
		const rows = of(".stacks tbody tr[data-target]", (r) => r);
		return {hidden: document.getElementById("probes-section").hidden, head: of(".stacks thead th:not(.lane)", text), controls: of("#probes .choice button[aria-pressed=true]", text),
			rows: rows.map((r) => [...r.querySelectorAll("th, td:not(.lane)")].map(text)), bars: rows.map((r) => [...r.querySelectorAll("rect")].map((e) => e.dataset.probe)),
			widths: rows.map((r) => [...r.querySelectorAll("rect")].map((e) => e.getBoundingClientRect().width)),
			caption: of("#probes-mean", text).join(), key: of("#probes .key", text).join(), crosses: of(".stacks .cross", text).length}; })()`, &page)
	return page
}

// The probes of each cell are bars on each other with the numbers beside them, at a percentile
// that the reader chooses.
func TestProbesAreAStack(t *testing.T) {
	b := show(t, "light", durables(t))
	page := stackShown(b)
	if want := []string{"target", "lag", "published", "acknowledged", "delivered"}; !slices.Equal(page.Head, want) || !slices.Equal(page.Controls, []string{"p99", "linear"}) {
		t.Fatalf("head %q, pressed %q", page.Head, page.Controls)
	}
	of := make(map[string]int)
	for i, row := range page.Rows {
		of[strings.Fields(row[0])[0]] = i
	}
	if got, want := page.Rows[of["redis"]][1:], []string{"0.0299", "0.0897", "0.299", "0.598"}; !slices.Equal(got, want) {
		t.Errorf("redis %q, want %q", got, want)
	}
	if got := page.Rows[of["nats"]][2:4]; !slices.Equal(got, []string{"–", "–"}) {
		t.Errorf("nats, which tells neither: %q", got)
	}
	if got := page.Rows[of["lossy"]]; got[2] != "?" || got[3] != "?" || got[4] != "?" || page.Crosses != 1 {
		t.Errorf("p99 with 5 %% missing: %q, %d crosses", got, page.Crosses)
	}
	if got := page.Bars[of["redis"]]; !slices.Equal(got, []string{"response", "ack", "published", "lag"}) {
		t.Errorf("bars of redis %q", got)
	}
	if got := page.Bars[of["jetstream"]]; !slices.Equal(got, []string{"ack", "response", "lag"}) {
		t.Errorf("bars of one that delivers before it acknowledges %q", got)
	}
	if got := page.Bars[of["lossy"]]; !slices.Equal(got, []string{"lag"}) {
		t.Errorf("bars of what is unknown %q", got)
	}
	if w := page.Widths[of["redis"]]; w[0] < 100 || w[1]/w[0] < 0.48 || w[1]/w[0] > 0.52 || w[2]/w[0] < 0.13 || w[2]/w[0] > 0.17 {
		t.Errorf("on an axis from 0 the bars are %v wide", w)
	}
	for _, want := range []string{"Each bar ends at p99 of its own probe", "they do not add up"} {
		if !strings.Contains(page.Caption, want) {
			t.Errorf("caption %q", page.Caption)
		}
	}
	if !strings.Contains(page.Key, "unknown, messages are missing") {
		t.Errorf("key %q", page.Key)
	}
	b.screenshot("probes")
	b.run(`[...document.querySelectorAll("#probes .choice button")].find((b) => b.textContent === "p50").click()`)
	page = stackShown(b)
	if got := page.Rows[of["redis"]][4]; got != "0.500" || page.Controls[0] != "p50" || !strings.Contains(page.Caption, "p50") || page.Crosses != 0 {
		t.Errorf("p50: %q, %+v", got, page)
	}
	b.run(`[...document.querySelectorAll("#probes .choice button")].find((b) => b.textContent === "log").click()`)
	if page = stackShown(b); !strings.Contains(page.Caption, "the axis is logarithmic") || page.Widths[of["redis"]][1]/page.Widths[of["redis"]][0] < 0.6 {
		t.Errorf("log: %+v", page)
	}
}

// Dark and narrow it stays readable: nothing sticks out of the page.
func TestTheStackDarkAndNarrow(t *testing.T) {
	path, _ := write(t, durables(t))
	for _, width := range []int64{1360, 700, 390} {
		b := open(t, path, "dark", width, 800)
		var over float64
		b.eval(`document.documentElement.scrollWidth - innerWidth`, &over)
		if over > 0 {
			t.Errorf("%d pixels wide: %v stick out", width, over)
		}
		b.screenshot(fmt.Sprintf("probes-dark-%d", width))
	}
}

// Where lag and response are all there is, the answer says it.
func TestNoStackOfTwo(t *testing.T) {
	b := show(t, "light", newStore(t, "plain", four()[0]))
	if page := stackShown(b); !page.Hidden || len(page.Rows) != 0 {
		t.Errorf("%+v", page)
	}
}

// Repeats are one row, of their geometric means.
func TestTheStackOfRepeats(t *testing.T) {
	const us = time.Microsecond
	list := []measurement{
		{target: "redis", rate: 2000, repeat: 1, window: 4, change: probed(20*us, 50*us, 100*us, 200*us, 0)},
		{target: "redis", rate: 2000, repeat: 2, window: 4, change: probed(20*us, 50*us, 400*us, 800*us, 0)},
	}
	page := stackShown(show(t, "light", newStore(t, "repeats", list...)))
	if len(page.Rows) != 1 || page.Rows[0][3] != "0.299" || page.Rows[0][4] != "0.598" {
		t.Errorf("%q", page.Rows)
	}
}

// The stack follows the filter, opens a cell, and is saved.
func TestTheStackIsPartOfThePage(t *testing.T) {
	b := show(t, "light", durables(t))
	b.run(`const e = document.querySelector("input[type=search]"); e.value = "redis"; e.dispatchEvent(new Event("input"))`)
	if page := stackShown(b); len(page.Rows) != 1 || len(page.Head) != 5 {
		t.Errorf("filtered: %+v", page)
	}
	b.settle(`document.querySelector(".stacks .open").click()`)
	var opened string
	if b.eval(`document.querySelector("#cell h2").textContent`, &opened); !strings.HasPrefix(opened, "redis") {
		t.Errorf("opened %q", opened)
	}
	var saved struct {
		CSV string
		PNG []int
	}
	b.eval(`(async () => { const found = []; const make = URL.createObjectURL; URL.createObjectURL = (blob) => (found.push(blob), make(blob));
		[...document.querySelectorAll("#probes .save")].forEach((b) => b.click());
		while (found.length < 2) await new Promise((r) => setTimeout(r, 5));
		const image = await createImageBitmap(found.find((f) => f.type === "image/png"));
		return {csv: await found.find((f) => f.type === "text/csv").text(), png: [image.width, image.height]}; })()`, &saved)
	if !strings.Contains(saved.CSV, "percentile,lag_ns,lag_limited_by,published_ns") || !strings.Contains(saved.CSV, ",99,") || strings.Count(saved.CSV, "\n") != 2 {
		t.Errorf("CSV %q", saved.CSV)
	}
	if saved.PNG[0] < 900 || saved.PNG[1] < 100 {
		t.Errorf("the picture is %v", saved.PNG)
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
	var ids []string
	editRun(t, store, func(run *results.Run) {
		run.Interrupted = true
		for _, e := range run.Cells {
			ids = append(ids, e.ID)
		}
		for i := range 9 {
			run.Cells = append(run.Cells, results.Entry{ID: fmt.Sprint("dead-", i), Error: fmt.Sprint("cause ", i)})
		}
	})
	b := show(t, "light", store)
	var notices []string
	b.eval(`[...document.querySelectorAll(".notice")].map((e) => e.textContent)`, &notices)
	text := strings.Join(notices, "\n")
	for _, id := range ids {
		if !strings.Contains(text, id) {
			t.Errorf("%s is not said to have lost anything", id)
		}
	}
	if len(notices) > 8 || !strings.HasPrefix(notices[0], "Lost: ") || !strings.Contains(text, "interrupted") || !strings.Contains(text, "Not measured: dead-0") || !strings.Contains(text, "… and 8 more causes") {
		t.Errorf("%d notices: %s", len(notices), text)
	}
}

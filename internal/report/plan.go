package report

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/leaf/group"
	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/results"
)

// tooShort names the percentiles for which the window of the plan is too short, and the window
// that would do, once for each rate.
func tooShort(p plan.Plan) (lines []string) {
	for _, shape := range p.Shapes {
		asked := slices.Sorted(slices.Values(p.Settings.Asked()))
		lacks := func(percentile float64) bool {
			return results.Needed(percentile) > float64(shape.Rate)*p.Settings.Duration.Seconds()
		}
		i := slices.IndexFunc(asked, lacks)
		if i < 0 {
			continue
		}
		last := asked[len(asked)-1]
		lines = append(lines, fmt.Sprintf("too short at %v: %s will have fewer than %d messages above it in %v; %v would do, or ask for less with --percentiles",
			shape.Rate, limited(asked[i:]), histogram.MinAbove, p.Settings.Duration, results.NeededWindow(last, float64(shape.Rate))))
	}
	return group.Unique(lines)
}

// promised compares the levels of durability that targets are asked for. Only a run asks brokers.
func promised(targets []plan.Target) []string {
	asked := func(t plan.Target) string {
		_, query, _ := strings.Cut(t.URL, "?")
		options, _ := url.ParseQuery(query) // a wrong one was refused before
		return options.Get("durability")
	}
	levels := group.By(targets, asked)
	switch {
	case len(levels) > 1:
		return []string{"Not the same promise: " + words.Join(levels, "; ", func(alike []plan.Target) string {
			names := words.Join(alike, ", ", func(t plan.Target) string { return t.Name })
			return names + " at " + cmp.Or(asked(alike[0]), "the level of its options")
		}) + " (--durability LEVEL makes them equal)"}
	case len(targets) > 1 && asked(targets[0]) == "":
		return []string{"no target is asked for a level of durability: their promises may differ (--durability LEVEL makes them equal)"}
	}
	return nil
}

// Plan lists the cells of a plan in the order of measuring, and how long they take.
// It shows the URLs unchanged: the caller has removed passwords. Text leaves out arrivals and
// repeats if all cells have the default.
func Plan(p plan.Plan) *document.Document {
	cells := p.Cells()
	t := document.Table{Head: []string{"target", "rate/s", "size", "connections", "in flight", "arrivals", "topology", "backlog", "messages", "repeat", "url"}, Align: "lrrrrllllrl"}
	var ids []string
	for _, c := range cells {
		ids = append(ids, c.ID())
		t.Rows = append(t.Rows, []string{
			c.Target.Name, c.Shape.RateColumn(), c.Shape.SizeText(), fmt.Sprint(c.Shape.Connections),
			words.InFlight(c.Shape.InFlight), string(c.Shape.Arrivals), cmp.Or(c.Shape.Topology.Text(), "own"), cmp.Or(c.Shape.StoreText(), "none"), cmp.Or(c.Shape.MessageText(), "random"), fmt.Sprint(c.Repeat), c.Target.URL,
		})
	}
	var d document.Document
	narrow := t
	narrow.Head = []string{"target", "rate/s", "size", "conn", "flight", "arrivals", "topology", "backlog", "messages", "repeat", "url"}
	d.ShowAs(narrow.WithoutUsual("arrivals", string(schedule.Constant)).WithoutUsual("topology", "own").WithoutUsual("backlog", "none").WithoutUsual("messages", "random").WithoutUsual("repeat", "1").Text(), t)
	d.Say(fmt.Sprintf("%s of %v + %v warm-up: about %s, and up to %s",
		words.Plural(len(cells), "cell"), p.Settings.Duration, p.Settings.Warmup, words.About(p.Took()), p.Beyond()))
	for _, f := range p.Settings.Faults {
		d.Say(fmt.Sprintf("breaks: %v", f))
	}
	d.Note(tooShort(p)...)
	d.Note(promised(p.Targets)...)
	d.Exact(t, struct {
		Plan   plan.Plan     `json:"plan"`
		Cells  []string      `json:"cells"` // in the order of measuring
		TookNS time.Duration `json:"took_ns"`
	}{p, ids, p.Took()})
	return &d
}

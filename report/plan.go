package report

import (
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/internal/words"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/report/document"
)

// Plan lists the cells of a plan in the order of measuring, and how long they take.
// It shows the URLs as they are: the caller has removed passwords.
func Plan(p plan.Plan) *document.Document {
	cells := p.Cells()
	t := document.Table{Head: []string{"target", "rate/s", "size", "connections", "in flight", "arrivals", "repeat", "url"}}
	var ids []string
	for _, c := range cells {
		ids = append(ids, c.ID())
		t.Rows = append(t.Rows, []string{
			c.Target.Name, c.Shape.Rate.Column(), words.Size(c.Shape.Size), fmt.Sprint(c.Shape.Connections),
			words.InFlight(c.Shape.InFlight), string(c.Shape.Arrivals), fmt.Sprint(c.Repeat), c.Target.URL,
		})
	}
	var d document.Document
	d.Show(t)
	d.Say(fmt.Sprintf("%s of %v + %v warm-up: %v, and up to %v more for each cell whose replies are late",
		words.Plural(len(cells), "cell"), p.Settings.Duration, p.Settings.Warmup, p.Took(), p.Settings.Timeout))
	d.Exact(t, struct {
		Plan   plan.Plan     `json:"plan"`
		Cells  []string      `json:"cells"` // in the order of measuring
		TookNS time.Duration `json:"took_ns"`
	}{p, ids, p.Took()})
	return &d
}

package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/confidence"
	"github.com/brokerbench/brokerbench/internal/leaf/group"
	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/internal/report/format"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// marks explains the marks of the percentiles shown so far. It explains limits only if no reason
// does.
func marks(d *document.Document, reasons bool) {
	shown, limited := d.Text(), "of limited use; LIMITED says why"
	if !reasons {
		limited = fmt.Sprintf("of limited use: something besides the target is in it, fewer than %d messages or %d events are above it, or it may be twice as much", histogram.MinAbove, confidence.MinEvents)
	}
	for _, m := range []struct{ sign, meaning string }{
		{"~", limited},
		{"?", "unknown: missing messages rank there"},
		{"≥", "the maximum of the replies received: missing messages rank above it"},
	} {
		if strings.Contains(shown, m.sign) {
			d.Note(m.sign + " " + m.meaning)
		}
	}
}

// problems lists the problems of each cell. A note that all cells share appears once.
func problems(d *document.Document, cells []*results.Cell) {
	shared := inCommon(cells)
	for _, text := range shared {
		d.Note("note: " + text)
	}
	for _, c := range cells {
		for _, p := range c.Problems {
			if !slices.Contains(shared, p.Text) {
				d.Note(fmt.Sprintf("%s %s: %s", gravity(p), c.ID, reasonText(p)))
			}
		}
	}
}

// Limitation says which percentiles a problem limits, by what, and why; "" if it limits
// none.
func Limitation(p results.Problem) string {
	if len(p.Limits) == 0 {
		return ""
	}
	l := p.Limits[0]
	name := limited(l.Percentiles)
	if l.Series != "response" {
		name = l.Series + " " + name
	}
	return fmt.Sprintf("%s by %s: %s", name, p.Code.By(), p.Text)
}

// limited names the percentiles that are limited: "p99", "p99 and above" or "p50 to p90".
func limited(percentiles []float64) string {
	first, last := percentiles[0], percentiles[len(percentiles)-1]
	switch {
	case first == last:
		return words.Percentile(first)
	case last == 100:
		return words.Percentile(first) + " and above"
	}
	return words.Percentile(first) + " to " + words.Percentile(last)
}

// inCommon returns the notes that every cell has.
func inCommon(cells []*results.Cell) (texts []string) {
	if len(cells) == 0 {
		return nil
	}
	for _, p := range cells[0].Problems {
		lacks := func(c *results.Cell) bool {
			return !slices.ContainsFunc(c.Problems, func(q results.Problem) bool { return q.Text == p.Text })
		}
		if p.Severity == results.Valid && len(p.Limits) == 0 && !slices.ContainsFunc(cells, lacks) {
			texts = append(texts, p.Text)
		}
	}
	return texts
}

// notJudged lists the problems that could not be checked in each cell; once if they are the
// same for all.
func notJudged(d *document.Document, cells []*results.Cell) {
	texts := make([]string, len(cells))
	for i, c := range cells {
		texts[i] = lacking(c.NotJudged)
	}
	all := slices.Compact(slices.Clone(texts))
	for i, c := range cells {
		switch {
		case texts[i] == "":
		case len(all) > 1:
			d.Note(fmt.Sprintf("NOT JUDGED %s: %s", c.ID, texts[i]))
		case i == 0:
			d.Note("not judged: " + texts[i])
		}
	}
}

// lacking lists the problems that could not be checked: "steal, throttled (needs Linux)".
func lacking(list []results.NotJudged) string {
	var parts []string
	for i, u := range list {
		if i > 0 && list[i-1].Reason == u.Reason {
			parts[len(parts)-1] += ", " + string(u.Code)
		} else {
			parts = append(parts, string(u.Code))
		}
		if i+1 == len(list) || list[i+1].Reason != u.Reason {
			parts[len(parts)-1] += " (" + u.Reason + ")"
		}
	}
	return strings.Join(parts, ", ")
}

// slos lists the objectives that were not passed, and counts all. Repeats of a summary count
// together.
func slos(d *document.Document, cells []*results.Cell, repeated []*results.Summary) {
	counts := make(map[results.Outcome]int)
	list := func(id string, planned []plan.Objective, slos []results.SLO) {
		for _, s := range slos {
			if s.Outcome == results.Passed && s.Objective == plan.NothingLost() && !slices.Contains(planned, s.Objective) {
				continue // it is implied, and passed
			}
			counts[s.Outcome]++
			if s.Outcome != results.Passed {
				d.Note(fmt.Sprintf("SLO %s %s: %v: %s", strings.ToUpper(string(s.Outcome)), id, s.Objective, s.Text))
			}
		}
	}
	for _, s := range repeated {
		list(s.ID, s.Plan.SLOs, s.SLOs)
	}
	for _, c := range results.Alone(cells, repeated) {
		list(c.ID, c.Plan.SLOs, c.SLOs)
	}
	if len(counts) > 0 {
		d.Note("SLOs: " + format.Tally(counts, results.Passed, results.Missed, results.Inconclusive))
	}
}

// notMeasured counts the cells that gave no result, by their cause.
func notMeasured(d *document.Document, run results.Run) {
	var causes []string
	for _, e := range run.Cells {
		if e.Verdict == "" {
			causes = append(causes, cmp.Or(e.Error, "not reached before the interruption"))
		}
	}
	for _, alike := range group.By(causes, func(cause string) string { return cause }) {
		d.Note(fmt.Sprintf("NOT MEASURED %s: %s", words.Plural(len(alike), "cell"), alike[0]))
	}
}

// brokersOf notes the product, client and settings of each target once.
func brokersOf(d *document.Document, cells []*results.Cell) {
	for _, of := range group.By(cells, targetOf) {
		d.Note(targetOf(of[0]) + ": " + describe(of[0].Broker))
	}
}

func targetOf(c *results.Cell) string { return c.Plan.Target.Name }

func productOf(c *results.Cell) string {
	return strings.TrimSpace(c.Broker.Product + " " + c.Broker.Version)
}

func describe(broker results.Broker) string {
	text := strings.TrimSpace(broker.Product + " " + broker.Version)
	if broker.Client != "" {
		text += " through " + broker.Client
	}
	if len(broker.Settings) > 0 {
		text += "; " + settingsText(broker.Settings)
	}
	return text
}

// measuredBy notes the numbers that the client of each cell reports.
func measuredBy(d *document.Document, cells []*results.Cell) {
	for _, c := range cells {
		if len(c.Measured) > 0 {
			d.Note(c.ID + ": measured by the client: " + settingsText(c.Measured))
		}
	}
}

func settingsText(settings []results.Setting) string {
	return words.Join(settings, " ", func(s results.Setting) string { return s.Name + "=" + cmp.Or(s.Value, `""`) })
}

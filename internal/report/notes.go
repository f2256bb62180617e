package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/confidence"
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
		limited = fmt.Sprintf("of limited use: something besides the target is in it, or fewer than %d messages or %d events are above it", histogram.MinAbove, confidence.MinEvents)
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
			switch {
			case slices.Contains(shared, p.Text):
			case p.Severity != results.Valid:
				d.Note(fmt.Sprintf("%s %s: %s", format.Verdict(p.Severity), c.ID, p.Text))
			case len(p.Limits) > 0:
				d.Note(fmt.Sprintf("LIMITED %s: %s", c.ID, Limitation(p)))
			default:
				d.Note(fmt.Sprintf("NOTE %s: %s", c.ID, p.Text))
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

// usable counts the percentiles of the plan that can be used, and the limits of the others.
// Percentiles of an INVALID cell count separately.
func usable(d *document.Document, cells []*results.Cell) {
	all, good := 0, 0
	by := make(map[string]int)
	var order []string
	for _, c := range cells {
		for _, p := range c.Plan.Settings.Asked() {
			row, ok := c.Response.At(p)
			why, limits := "unknown", row.Limits()
			switch all++; {
			case c.Verdict == results.Invalid:
				why = "in INVALID cells"
			case ok && row.Usable():
				good++
				continue
			case len(limits) > 0:
				why = "limited by " + words.And(limits)
			}
			if by[why]++; by[why] == 1 {
				order = append(order, why)
			}
		}
	}
	text := fmt.Sprintf("%d of %s asked for can be used", good, words.Plural(all, "percentile"))
	for i, why := range order {
		text += []string{"; ", ", "}[min(i, 1)] + fmt.Sprintf("%d %s", by[why], why)
	}
	if all > 0 {
		d.Note(text)
	}
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

// slos lists the objectives that were not passed, and counts all.
func slos(d *document.Document, cells []*results.Cell) {
	counts := make(map[results.Outcome]int)
	for _, c := range cells {
		for _, s := range c.SLOs {
			if s.Outcome == results.Passed && s.Objective == plan.NothingLost() && !slices.Contains(c.Plan.SLOs, s.Objective) {
				continue // it is implied, and passed
			}
			counts[s.Outcome]++
			if s.Outcome != results.Passed {
				d.Note(fmt.Sprintf("SLO %s %s: %v: %s", strings.ToUpper(string(s.Outcome)), c.ID, s.Objective, s.Text))
			}
		}
	}
	if len(counts) > 0 {
		d.Note("SLOs: " + format.Tally(counts, results.Passed, results.Missed, results.Inconclusive))
	}
}

// notMeasured counts the cells that gave no result, by their cause.
func notMeasured(d *document.Document, run results.Run) {
	counts := make(map[string]int)
	var causes []string
	for _, e := range run.Cells {
		if e.Verdict != "" {
			continue
		}
		cause := cmp.Or(e.Error, "not reached before the interruption")
		if counts[cause] == 0 {
			causes = append(causes, cause)
		}
		counts[cause]++
	}
	for _, cause := range causes {
		d.Note(fmt.Sprintf("NOT MEASURED %s: %s", words.Plural(counts[cause], "cell"), cause))
	}
}

// brokersOf notes the product, client and settings of each target once.
func brokersOf(d *document.Document, cells []*results.Cell) {
	said := make(map[string]bool)
	for _, c := range cells {
		if name := c.Plan.Target.Name; !said[name] {
			said[name] = true
			d.Note(name + ": " + describe(c.Broker))
		}
	}
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

// settingsText lists settings with their values.
func settingsText(settings []results.Setting) string {
	words := make([]string, len(settings))
	for i, s := range settings {
		words[i] = s.Name + "=" + cmp.Or(s.Value, `""`)
	}
	return strings.Join(words, " ")
}

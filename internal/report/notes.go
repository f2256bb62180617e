package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/brokerbench/brokerbench/internal/leaf/group"
	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/internal/report/format"
	"github.com/brokerbench/brokerbench/results"
)

// legend explains the marks of numbers shown so far.
func legend(d *document.Document) {
	for _, m := range format.Marks() {
		if strings.Contains(d.Text(), m.Sign) {
			d.Note(m.Sign + " " + m.Meaning)
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
				d.Note(fmt.Sprintf("%s %v: %s", gravity(p), c.Plan, reasonText(p)))
			}
		}
	}
}

// gravity says how grave a problem is.
func gravity(p results.Problem) string {
	switch {
	case p.Severity != results.Valid:
		return format.Verdict(p.Severity)
	case len(p.Limits) > 0:
		return "LIMITED"
	}
	return "NOTE"
}

func reasonText(p results.Problem) string {
	if text := Limitation(p); text != "" && p.Severity == results.Valid {
		return text
	}
	return p.Text
}

// Limitation says by what a problem limits percentiles, which, and why, such as "by this machine from
// p99 up: …"; "" if it limits none.
func Limitation(p results.Problem) string {
	if len(p.Limits) == 0 {
		return ""
	}
	l := p.Limits[0]
	name := "at " + limited(l.Percentiles)
	if l.Series != "response" {
		name = "at " + l.Series + " " + limited(l.Percentiles)
	} else if l.Percentiles[len(l.Percentiles)-1] == 100 && len(l.Percentiles) > 1 {
		name = "from " + words.Percentile(l.Percentiles[0]) + " up"
	}
	return fmt.Sprintf("by %s %s: %s", p.Code.By(), name, p.Text)
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
			d.Note(fmt.Sprintf("NOT JUDGED %v: %s", c.Plan, texts[i]))
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

// notMeasured names the targets of cells that gave no result, by the cause.
func notMeasured(d *document.Document, run results.Run) {
	type gap struct{ target, cause string }
	var gaps []gap
	planned := run.Plan.Cells()
	for i, e := range run.Cells {
		if e.Verdict == "" {
			g := gap{e.ID, cmp.Or(e.Error, "not reached before the interruption")}
			if i < len(planned) && planned[i].ID() == e.ID {
				g.target = planned[i].Target.Name
			}
			gaps = append(gaps, g)
		}
	}
	for _, alike := range group.By(gaps, func(g gap) string { return g.cause }) {
		var targets []string
		for _, g := range alike {
			targets = append(targets, g.target)
		}
		text := words.And(group.Unique(targets))
		if len(alike) > 1 {
			text += fmt.Sprintf(" (%d cells)", len(alike))
		}
		d.Note(fmt.Sprintf("NOT MEASURED %s: %s", text, alike[0].cause))
	}
}

// brokersOf notes the product, client and settings of each target once.
func brokersOf(d *document.Document, cells []*results.Cell) {
	for _, of := range group.By(cells, targetOf) {
		d.Note(targetOf(of[0]) + ": " + describe(of[0].Broker))
	}
}

func targetOf(c *results.Cell) string { return c.Plan.Target.Name }

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
			d.Note(c.Plan.String() + ": measured by the client: " + settingsText(c.Measured))
		}
	}
}

func settingsText(settings []results.Setting) string {
	return words.Join(settings, " ", func(s results.Setting) string { return s.Name + "=" + cmp.Or(s.Value, `""`) })
}

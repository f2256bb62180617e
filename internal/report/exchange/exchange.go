// Package exchange writes results in the formats of other programs: [Benchstat], [OpenMetrics],
// [JUnit], [GitHub], [BMF] and [ActionBenchmark].
//
// Benchstat gets a line for each repeat, and finds their spread itself. The other formats have the
// numbers of an [answer.Answer]: of all repeats together. A number that is limited is marked as far
// as the format permits, a number that is unknown is absent beside the reason, and the longest reply is
// always there.
package exchange

import (
	"io"
	"strings"

	"github.com/brokerbench/brokerbench/internal/answer"
	"github.com/brokerbench/brokerbench/internal/compare"
	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/results"
)

// The formats.
const (
	Benchstat       document.Format = "benchstat"               // of Go's benchmarks, for golang.org/x/perf
	OpenMetrics     document.Format = "openmetrics"             // for Prometheus, whose older text format it is, too
	JUnit           document.Format = "junit"                   // XML of objectives or gates, for CI servers
	GitHub          document.Format = "github"                  // Markdown for $GITHUB_STEP_SUMMARY
	BMF             document.Format = "bmf"                     // JSON for Bencher
	ActionBenchmark document.Format = "github-action-benchmark" // JSON of its tool customSmallerIsBetter
)

// Formats lists those of a run.
func Formats() []document.Format {
	return []document.Format{Benchstat, OpenMetrics, JUnit, GitHub, BMF, ActionBenchmark}
}

// Gates lists those of a comparison.
func Gates() []document.Format { return []document.Format{GitHub, JUnit} }

// Spoken returns the general format that a file in a format has, such as JSON; "" if it has none.
func Spoken(f document.Format) document.Format {
	general := map[document.Format]document.Format{
		BMF: document.JSON, ActionBenchmark: document.JSON, GitHub: document.Markdown, Benchstat: document.Text, OpenMetrics: document.Text, JUnit: "",
	}
	if spoken, special := general[f]; special {
		return spoken
	}
	return f
}

// A Run is a run with its measured cells, and the summaries of repeated ones.
type Run struct {
	results.Run
	Measured []*results.Cell
	Repeated []*results.Summary
}

// Offer lets the document of a run be written in [Formats], too.
func Offer(d *document.Document, r Run) {
	a := answer.Of(r.Run, r.Measured)
	d.Offer(Benchstat, func(w io.Writer) error { return plain(w, benchstat(r)) })
	d.Offer(OpenMetrics, func(w io.Writer) error { return plain(w, openMetrics(a)) })
	d.Offer(JUnit, func(w io.Writer) error { return writeXML(w, objectives(r, a)) })
	d.Offer(GitHub, func(w io.Writer) error { return summary(w, headline(r, a), d) })
	d.Offer(BMF, func(w io.Writer) error { return document.WriteJSON(w, bmf(a)) })
	d.Offer(ActionBenchmark, func(w io.Writer) error { return document.WriteJSON(w, actionBenchmark(a)) })
}

// OfferGates lets the document of comparisons be written in [Gates], too.
func OfferGates(d *document.Document, list []*compare.Comparison) {
	OfferSummary(d)
	d.Offer(JUnit, func(w io.Writer) error { return writeXML(w, gates(list)) })
}

// OfferSummary lets a document be written as [GitHub], too.
func OfferSummary(d *document.Document) {
	d.Offer(GitHub, func(w io.Writer) error { return summary(w, "", d) })
}

// plain writes a text without control characters.
func plain(w io.Writer, text string) error {
	_, err := io.WriteString(w, words.Plain(text))
	return err
}

// A loaded is a target under one load.
type loaded struct {
	answer.Target
	shape answer.Shape
}

// all returns the targets under each load.
func all(a *answer.Answer) (list []loaded) {
	for _, s := range a.Shapes {
		for _, t := range s.Targets {
			list = append(list, loaded{t, s})
		}
	}
	return list
}

// title names the target and the load.
func (l loaded) title() string { return l.Name + ", " + l.shape.Title }

// mark says why a number is not to be relied on; "" if it is.
func mark(n answer.Number) string {
	var list []string
	switch {
	case n.NS == nil && n.Percentile == 100:
		list = append(list, "unknown: no message came back")
	case n.NS == nil:
		list = append(list, "unknown: missing messages rank there")
	case n.Limit != "":
		list = append(list, "limited by "+n.Limit)
	}
	if n.AtLeast {
		list = append(list, "at least this: missing messages rank above")
	}
	if n.Unseen {
		list = append(list, "rare pauses are not excluded by the measured time")
	}
	return strings.Join(list, "; ")
}

// marks says it of several numbers, each with its name.
func marks(numbers []answer.Number) (list []string) {
	for _, n := range numbers {
		if text := mark(n); text != "" {
			list = append(list, words.Percentile(n.Percentile)+" "+text)
		}
	}
	return list
}

package report

import (
	"fmt"
	"strings"

	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/internal/merge"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/internal/report/format"
	"github.com/brokerbench/brokerbench/results"
)

// Merge shows a row for each log that was added up, the sum, and how many values of
// it rank above each percentile. As JSON it is the [merge.Sum].
func Merge(m *merge.Sum) *document.Document {
	intervals := 0
	t := document.Table{Align: "lr", Head: []string{
		"added", "intervals", "count", "missing", "p50", "p90", "p99", "p99.9", "p99.99", "max", "verdict",
	}}
	for _, p := range m.Parts {
		intervals += p.Intervals
		t.Rows = append(t.Rows, mergeRow(p))
	}
	sum := merge.Part{Name: "sum", Tag: m.Tag, Intervals: intervals, Distribution: m.Distribution}
	above := []string{"values above", "", "", ""}
	for _, p := range mergePercentiles {
		at, _ := m.Distribution.At(p)
		above = append(above, fmt.Sprint(at.SamplesAbove))
	}
	t.Rows = append(t.Rows, mergeRow(sum), above)

	what := "values without a tag, or with different tags"
	if m.Tag != "" {
		what = "tag " + m.Tag
	}
	var d document.Document
	d.Say(fmt.Sprintf("%s added up, in ms: %s", words.Plural(len(m.Parts), "log"), what))
	d.Show(t)
	legend(&d)
	for _, note := range m.Notes {
		d.Note("note: " + note)
	}
	d.Exact(mergeTable(append(m.Parts[:len(m.Parts):len(m.Parts)], sum)), m)
	return &d
}

var mergePercentiles = []float64{50, 90, 99, 99.9, 99.99, 100}

func mergeRow(p merge.Part) []string {
	d := p.Distribution
	fields := []string{p.Name, fmt.Sprint(p.Intervals), fmt.Sprint(d.Count), fmt.Sprint(d.Missing)}
	return append(append(fields, format.Values(d, mergePercentiles...)...), strings.ToLower(string(p.Verdict)))
}

// mergeTable has a row for each part, and the sum as the last.
func mergeTable(parts []merge.Part) document.Table {
	return document.Records(parts, "name=Name path=Path tag=Tag intervals=Intervals verdict=Verdict count=Distribution/Count missing=Distribution/Missing",
		"clamped=Distribution/Clamped", each("p%p_ns=Distribution/Percentiles/%p/ValueNS p%p_above=Distribution/Percentiles/%p/SamplesAbove p%p_use=Distribution/Percentiles/%p/Use", results.Percentiles()...))
}

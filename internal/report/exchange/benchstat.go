package exchange

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"

	"github.com/brokerbench/brokerbench/internal/answer"
	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// benchstat writes a line for each repeat. The verdict is configuration, by which benchstat makes
// separate tables: it never mixes an INVALID repeat with good ones. Lines with # are for people.
func benchstat(r Run) string {
	b := new(strings.Builder)
	fmt.Fprintf(b, "# brokerbench %s, run %s\n", r.Environment.Brokerbench, r.ID)
	goos, goarch, _ := strings.Cut(r.Environment.OS, "/")
	config(b, "goos", goos)
	config(b, "goarch", goarch)
	config(b, "cpu", r.Environment.CPU)
	verdict := results.Verdict("")
	for _, c := range results.BySize(r.Measured) {
		if c.Verdict != verdict {
			verdict = c.Verdict
			config(b, "verdict", string(verdict))
		}
		benchmark(b, c)
	}
	for _, e := range r.Cells {
		if e.Verdict == "" {
			fmt.Fprintf(b, "# %s was not measured: %s\n", e.ID, oneLine(notMeasured(e)))
		}
	}
	return b.String()
}

// config writes a line of configuration, unless its value is unknown.
func config(b *strings.Builder, key, value string) {
	if value != "" {
		fmt.Fprintf(b, "%s: %s\n", key, oneLine(value))
	}
}

// oneLine replaces line feeds, at which a format would end the text.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// benchmark writes the line of a cell, and the reasons to doubt its numbers.
func benchmark(b *strings.Builder, c *results.Cell) {
	fmt.Fprintf(b, "%s %d", benchmarkName(c.Plan), c.Ledger.Done)
	numbers := numbersOf(c)
	for _, n := range numbers {
		if n.NS != nil {
			fmt.Fprintf(b, " %d %s-ns", *n.NS, words.Percentile(n.Percentile))
		}
	}
	fmt.Fprintf(b, " %.6g msg/s %d missing\n", c.ReachedPerS, c.Ledger.Missing())
	for _, text := range marks(numbers) {
		fmt.Fprintf(b, "# %s: %s\n", c.ID, text)
	}
}

// numbersOf returns the percentiles of the plan in one repeat, and the maximum.
func numbersOf(c *results.Cell) (list []answer.Number) {
	for _, p := range results.Percentiles() {
		for _, asked := range append([]float64{100}, c.Plan.Settings.Asked()...) {
			if p == asked {
				list = append(list, answer.NumberOf(c.Response, p))
				break
			}
		}
	}
	return list
}

// benchmarkName names a cell without its repeat. It does not end in - and a number, which would be GOMAXPROCS.
func benchmarkName(p plan.Cell) string {
	s := p.Shape
	parts := s.Parts()
	name := []rune(p.Target.Name)
	name[0] = unicode.ToUpper(name[0])
	text := "Benchmark" + segment(string(name)) + "/size=" + segment(s.SizeText()) + "/rate=" + segment(s.RateColumn())
	for i, key := range []string{4: "arrivals", 5: "topology", 6: "messages", 7: "backlog"} {
		if key != "" && parts[i] != "" {
			text += "/" + key + "=" + segment(strings.TrimPrefix(parts[i], key+" "))
		}
	}
	flight := "open"
	if s.InFlight > 0 {
		flight = fmt.Sprint(s.InFlight)
	}
	return fmt.Sprintf("%s/connections=%d/flight=%s", text, s.Connections, flight)
}

// segment writes a part of a name, without spaces and slashes.
func segment(text string) string {
	return strings.NewReplacer(" ", "_", "/", "-per-").Replace(oneLine(text))
}

// notMeasured says why a cell was not measured.
func notMeasured(e results.Entry) string { return cmp.Or(e.Error, e.Refused, "the run ended before") }

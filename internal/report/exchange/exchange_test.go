package exchange_test

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/leaf/golden"
	"github.com/brokerbench/brokerbench/internal/report"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/internal/report/exchange"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/results"
)

// ramp records 1, 2 … n times a step, and returns the histogram.
func ramp(n int, step time.Duration) *histogram.Histogram {
	h := histogram.New()
	for i := range n {
		h.Record(time.Duration(i+1) * step)
	}
	return h
}

var asked = plan.Objective{Series: "response", Percentile: 99, Operator: "<", Limit: 2e6}

// cell returns a cell with a ramp of response times, and an outcome.
func cell(target string, repeat, done int, lost int64, step time.Duration, outcome results.Outcome, problems ...results.Problem) *results.Cell {
	c := &results.Cell{
		Plan: plan.Cell{
			Target: plan.Target{Name: target, URL: target + "://h"}, Repeat: repeat,
			Shape: plan.Shape{Rate: 1000, Size: 1024, Connections: 4, Arrivals: schedule.Poisson},
		},
		ReachedPerS: 1000, OfferedPerS: 1000, Response: results.NewDistribution(ramp(done, step), lost), Service: results.NewDistribution(ramp(done, step/2), lost),
		Ledger: results.Ledger{Due: int64(done) + lost, Done: int64(done), Lost: lost},
		SLOs:   []results.SLO{{Objective: asked, Outcome: outcome, Text: fmt.Sprintf("<%d> & \"so on\"", done)}},
	}
	c.Plan.Settings.Duration = 10 * time.Second
	c.ID = c.Plan.ID()
	c.Judge(problems)
	return c
}

// sample returns a run with two repeats of a good target, a target that is INVALID, one that misses its
// objective, one that does not decide it, one without a reply, and a cell that was not measured.
func sample() exchange.Run {
	missing := results.Problem{Code: results.CodeMissing, Severity: results.Invalid, Text: "500 of 10000 messages are missing"}
	r := exchange.Run{Measured: []*results.Cell{
		cell("nats", 1, 10_000, 0, 100*time.Nanosecond, results.Passed),
		cell("nats", 2, 10_000, 0, 110*time.Nanosecond, results.Missed),
		cell("redis", 1, 9500, 500, time.Microsecond, results.Inconclusive, missing),
		cell("kafka 3", 1, 10_000, 0, time.Microsecond, results.Missed),
		cell("mqtt", 1, 500, 0, time.Microsecond, results.Inconclusive),
		cell("silent", 1, 0, 10, time.Microsecond, results.Inconclusive, missing),
	}}
	merged := ramp(10_000, 100*time.Nanosecond)
	for i := range 10_000 {
		merged.Record(time.Duration(i+1) * 110 * time.Nanosecond)
	}
	s := results.NewSummary(r.Measured[:2], merged)
	s.SLOs = []results.SLO{{Objective: asked, Outcome: results.Passed, Text: "1.08ms"}}
	r.Repeated = []*results.Summary{s}
	r.Name, r.Environment = "nightly", results.Environment{Brokerbench: "1.0", OS: "linux/amd64", CPU: "Some CPU\n@ 3 GHz", CPUs: 4}
	for _, c := range r.Measured {
		r.Cells = append(r.Cells, results.Entry{ID: c.ID, Verdict: c.Verdict})
	}
	r.Cells = append(r.Cells, results.Entry{ID: "nsq-r1", Error: "nsq://h: connection refused\n(start it)"})
	return r
}

// written returns a run in a format.
func written(t *testing.T, r exchange.Run, f document.Format) string {
	t.Helper()
	d := report.Run(r.Run, r.Measured, r.Repeated, false)
	exchange.Offer(d, r)
	var b strings.Builder
	if err := d.Write(&b, f); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestFormats(t *testing.T) {
	for _, f := range exchange.Formats() {
		golden.Check(t, string(f)+".txt", written(t, sample(), f))
		written(t, exchange.Run{}, f)
	}
}

// benchstatProgram is the version of benchstat that reads ours.
const benchstatProgram = "golang.org/x/perf/cmd/benchstat@v0.0.0-20260908200009-22c9c6c9d4da"

func TestBenchstatReadsRepeats(t *testing.T) {
	if testing.Short() {
		t.Skip("builds benchstat")
	}
	bin := t.TempDir()
	install := exec.CommandContext(t.Context(), "go", "install", benchstatProgram)
	install.Env = append(os.Environ(), "GOBIN="+bin, "GOFLAGS=")
	if text, err := install.CombinedOutput(); err != nil {
		t.Skipf("benchstat cannot be built: %v: %s", err, text)
	}
	file := filepath.Join(bin, "run.txt")
	if err := os.WriteFile(file, []byte(written(t, sample(), exchange.Benchstat)), 0o600); err != nil {
		t.Fatal(err)
	}
	text, err := exec.CommandContext(t.Context(), filepath.Join(bin, "benchstat"), "-format", "csv", file).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	// The two repeats of nats are one row, and INVALID cells are in tables of their own.
	for _, want := range []string{"p50-sec", "p99-sec", "p99.9-sec", "max-sec", "msg/s", "verdict: invalid", "verdict: valid", "Nats/size=1KiB/rate=1000/arrivals=poisson/connections=4/flight=open,0.000525"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("benchstat's output lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(string(text), file+":") {
		t.Errorf("benchstat complains:\n%s", text)
	}
}

func TestOpenMetricsAreRead(t *testing.T) {
	text := written(t, sample(), exchange.OpenMetrics)
	if !strings.HasSuffix(text, "\n# EOF\n") || strings.Count(text, "# EOF") != 1 {
		t.Errorf("the text does not end with # EOF:\n%s", text)
	}
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	seen := make(map[string]float64)
	for _, m := range families["brokerbench_response_percentile_seconds"].GetMetric() {
		labels := make(map[string]string)
		for _, l := range m.GetLabel() {
			labels[l.GetName()] = l.GetValue()
		}
		seen[labels["target"]+" "+labels["percentile"]+" "+labels["usable"]] = m.GetGauge().GetValue()
	}
	for name, want := range map[string]float64{"redis max false": 9.5e-3, "kafka 3 p50 true": 5e-3, "nats max true": 1.1e-3} {
		if got := seen[name]; got < want*0.999 || got > want*1.001 {
			t.Errorf("%s: %v, want %v; all: %v", name, got, want, seen)
		}
	}
	if n := len(families["brokerbench_response_percentile_unknown"].GetMetric()); n == 0 {
		t.Error("no percentile is unknown")
	}
	if said := read(t, "promtool", text, "check", "metrics"); said != "" {
		t.Errorf("promtool: %s", said)
	}
}

// read returns what a program prints about a text. Of a program that is not there it is "", unless
// deploy/local/formats has installed it.
func read(t *testing.T, program, text string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Stdin = strings.NewReader(text)
	said, err := cmd.CombinedOutput()
	if errors.Is(err, exec.ErrNotFound) && os.Getenv("BROKERBENCH_FORMATS") == "" {
		return ""
	}
	if err != nil {
		t.Errorf("%s: %v", program, err)
	}
	return string(said)
}

// python returns what a script prints about a text, with the packages that deploy/local/formats installs.
func python(t *testing.T, text, script string) string {
	t.Helper()
	path, err := exec.LookPath("junitparser")
	if os.Getenv("BROKERBENCH_FORMATS") == "" {
		t.Skip("deploy/local/formats installs the reader")
	}
	if err != nil {
		t.Fatal(err)
	}
	return read(t, filepath.Join(filepath.Dir(path), "python"), text, "-c", script)
}

// long returns a run with a hundred targets more.
func long() exchange.Run {
	r := sample()
	for i := range 100 {
		c := *r.Measured[0]
		c.Plan.Target.Name = fmt.Sprintf("target%d", i)
		c.ID = c.Plan.ID()
		r.Measured = append(r.Measured, &c)
	}
	return r
}

func TestSummaryIsShort(t *testing.T) {
	text := written(t, long(), exchange.GitHub)
	if n := strings.Count(text, "\n"); n > 60 || n < 50 || !strings.HasPrefix(text, "### brokerbench nightly: 7 cells, 2 INVALID") {
		t.Errorf("%d lines:\n%s", n, text)
	}
	if strings.Count(text, "```")%2 != 0 || !strings.Contains(text, "--format md") {
		t.Errorf("cut badly:\n%s", text)
	}
}

// A page is what GitHub makes of a summary.
type page struct {
	Titles []string `xml:"h3"`
	Texts  []string `xml:"p"`
	Tables []struct {
		Head []string `xml:"thead>tr>th"`
		Rows []row    `xml:"tbody>tr"`
	} `xml:"table"`
}

// A row is one of a table.
type row struct {
	Cells []string `xml:"td"`
}

// rendered returns the page of a run's summary.
func rendered(t *testing.T, r exchange.Run) (p page) {
	t.Helper()
	html := python(t, written(t, r, exchange.GitHub), `import cmarkgfm, sys
sys.stdout.write(cmarkgfm.github_flavored_markdown_to_html(sys.stdin.read(), cmarkgfm.Options.CMARK_OPT_UNSAFE))`)
	if err := xml.Unmarshal([]byte("<html>"+html+"</html>"), &p); err != nil {
		t.Fatalf("%v:\n%s", err, html)
	}
	for _, table := range p.Tables {
		for _, row := range table.Rows {
			if len(row.Cells) != len(table.Head) {
				t.Errorf("%d cells below %v: %v", len(row.Cells), table.Head, row.Cells)
			}
		}
	}
	for _, text := range p.Texts {
		if strings.Contains(text, "|") {
			t.Errorf("a table that is none: %s", text)
		}
	}
	return p
}

// GitHub's Markdown makes tables of a summary, below a line with the verdict.
func TestGitHubSummaryIsRead(t *testing.T) {
	p := rendered(t, sample())
	if len(p.Titles) != 2 || !strings.Contains(p.Titles[0], "7 cells, 2 INVALID, 4 valid, 1 not measured") || len(p.Tables) != 2 {
		t.Fatalf("%+v", p)
	}
	for i, want := range [][]string{{"kafka 3", `FAIL <10000> & "so on"`}, {"redis", "~5.00", "≥9.50", "-", "≥9.50", "≥9.50", "500"}} {
		if !slices.ContainsFunc(p.Tables[i].Rows, func(r row) bool { return slices.Equal(r.Cells, want) }) {
			t.Errorf("no row %q in %+v", want, p.Tables[i])
		}
	}
	rendered(t, long()) // which is cut
}

func TestBMFValues(t *testing.T) {
	var got map[string]map[string]struct {
		Value float64
		Lower *float64 `json:"lower_value"`
	}
	if err := json.Unmarshal([]byte(written(t, sample(), exchange.BMF)), &got); err != nil {
		t.Fatal(err)
	}
	const load = ", 1 KiB at 1,000/s, 4 connections, arrivals poisson"
	for _, want := range []struct {
		target, measure string
		value           float64
	}{
		{"nats", "latency-max", 1.1e6},
		{"redis", "latency-max", 9.5e6},
		{"redis", "latency-max-limited", 1},
		{"redis", "latency-p99-unknown", 1},
		{"redis", "verdict-invalid", 1},
		{"redis", "messages-missing", 500},
		{"kafka 3", "latency-p50", 5e6},
		{"silent", "latency-max-unknown", 1},
		{"nats", "verdict-invalid", 0},
	} {
		m, ok := got[want.target+load][want.measure]
		if !ok || m.Value < want.value*0.999 || m.Value > want.value*1.001 {
			t.Errorf("%s %s: %+v, want %v; all: %v", want.target, want.measure, m, want.value, got)
		}
	}
	for name, measures := range got {
		for measure := range measures {
			if len(name) > 1024 || len(measure) > 50 {
				t.Errorf("Bencher refuses names as long as %q and %q", name, measure)
			}
		}
	}
	if _, ok := got["redis"+load]["latency-p99"]; ok {
		t.Error("a percentile that is unknown has a value")
	}
}

func TestActionBenchmarkMarks(t *testing.T) {
	type bench struct {
		Name, Unit, Range, Extra string
		Value                    *float64
	}
	var got []bench
	if err := json.Unmarshal([]byte(written(t, sample(), exchange.ActionBenchmark)), &got); err != nil {
		t.Fatal(err)
	}
	const load = ", 1 KiB at 1,000/s, 4 connections, arrivals poisson: "
	for name, want := range map[string]string{"redis" + load + "max": "at least", "redis" + load + "missing": "p99 unknown", "mqtt" + load + "p99.9": "limited by", "kafka 3" + load + "p50": ""} {
		i := slices.IndexFunc(got, func(b bench) bool { return b.Name == name })
		if i < 0 || got[i].Value == nil || got[i].Unit == "" || !strings.Contains(got[i].Extra, want) || want == "" && got[i].Extra != "" {
			t.Errorf("%s: %v, want a value with %q", name, got, want)
		}
	}
}

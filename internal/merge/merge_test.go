package merge_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/leaf/golden"
	"github.com/brokerbench/brokerbench/internal/merge"
	"github.com/brokerbench/brokerbench/internal/resultstest"
	"github.com/brokerbench/brokerbench/internal/source"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/results"
)

// ramp returns response times of some seconds: 1 to n µs times a scale in each.
func ramp(seconds, n int, scale time.Duration) [][]time.Duration {
	all := make([][]time.Duration, seconds)
	for s := range all {
		for i := range n {
			all[s] = append(all[s], time.Duration(i+1)*time.Microsecond*scale)
		}
	}
	return all
}

// sample is a run of two repeats, one of which lost messages, and another cell.
func sample(t *testing.T) string {
	return resultstest.Write(t, "sample",
		resultstest.Cell{Target: "nats", Rate: 1000, Seconds: ramp(3, 1000, 1), Hiccup: time.Millisecond},
		resultstest.Cell{Target: "nats", Rate: 1000, Repeat: 2, Seconds: ramp(2, 1000, 3), Missing: 10},
		resultstest.Cell{Target: "redis", Rate: 10, Seconds: ramp(2, 10, 7)})
}

func find(t *testing.T, paths ...string) []source.Source {
	t.Helper()
	found, _, err := source.Find(paths)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func add(t *testing.T, tag string, sources ...source.Source) *merge.Sum {
	t.Helper()
	m, err := merge.Add(sources, tag)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The sum has every value of every part, as if all had been recorded together.
func TestAddIsExact(t *testing.T) {
	want := histogram.New()
	for _, v := range slices.Concat(append(ramp(3, 1000, 1), ramp(2, 1000, 3)...)...) {
		want.Record(v)
	}
	m := add(t, "", find(t, sample(t))[:2]...)
	if m.Histogram.Count() != want.Count() || m.Tag != source.Response || m.Distribution.Missing != 10 {
		t.Fatalf("%d values tagged %q, %d missing; want %d", m.Histogram.Count(), m.Tag, m.Distribution.Missing, want.Count())
	}
	total := want.Count() + 10
	for _, row := range m.Distribution.Percentiles {
		v, above, known := want.QuantileOf(row.Percentile, total)
		got, ok := row.Value()
		if ok != known || row.SamplesAbove != above || known && float64(got) > float64(v)*1.001 || known && got < v {
			t.Errorf("p%v is %v (%v) with %d above, want %v (%v) with %d", row.Percentile, got, ok, row.SamplesAbove, v, known, above)
		}
	}
	if row, _ := m.Distribution.At(100); row.ValueNS != nil {
		t.Errorf("the maximum is known to be %d, although messages are missing", *row.ValueNS)
	}
	// Bucket for bucket: the .hgrm of the sum is that of all values.
	var got, all bytes.Buffer
	if err := errors.Join(m.WritePercentiles(&got), histogram.WritePercentiles(&all, want)); err != nil {
		t.Fatal(err)
	}
	if got.String() != all.String() {
		t.Errorf("the table of the sum differs:\n%s\n%s", &got, &all)
	}
}

// A merged log is one interval over all of them, which can be merged again.
func TestAddAgain(t *testing.T) {
	first := add(t, "service", find(t, sample(t))...)
	path := filepath.Join(t.TempDir(), "sum.hlog")
	var text bytes.Buffer
	if err := first.WriteLog(&text); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	log, err := histogram.ReadLog(&text)
	if err != nil || len(log.Entries) != 1 || log.Entries[0].Tag != "service" || log.Entries[0].Length != 3*time.Second || !log.Start.Equal(resultstest.Began()) {
		t.Errorf("%+v, %v", log, err)
	}
	second := add(t, "service", find(t, path)...)
	if second.Histogram.Count() != first.Histogram.Count() || second.Histogram.Quantile(99) != first.Histogram.Quantile(99) {
		t.Errorf("%d values, p99 %v; want %d, %v", second.Histogram.Count(), second.Histogram.Quantile(99), first.Histogram.Count(), first.Histogram.Quantile(99))
	}
	if len(second.Notes) != 1 || !strings.Contains(second.Notes[0], "no cell.json beside sum.hlog") {
		t.Errorf("notes %q", second.Notes)
	}
}

// write writes a log with one interval of a kind of histogram.
func write(t *testing.T, name string, digits int) string {
	t.Helper()
	h := hdr.New(1, int64(time.Hour), digits)
	if err := h.RecordValue(int64(time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	payload, err := h.Encode(hdr.V2CompressedEncodingCookieBase)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, fmt.Appendf(nil, "#[StartTime: 1.000 (seconds since epoch)]\n0.000,1.000,1.000,%s\n", payload), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestWhatCannotBeAdded(t *testing.T) {
	dir := sample(t)
	coarse, fine := write(t, "coarse.hlog", 2), write(t, "fine.hlog", 3)
	for _, tt := range []struct {
		name  string
		paths []string
		want  []string
	}{
		{"a table", []string{dir, "../../histogram/testdata/golden/stall.hgrm"}, []string{"stall.hgrm: cannot be added: percentiles are not histograms", ".hlog"}},
		{"precision", []string{fine, coarse}, []string{"coarse.hlog: cannot be added to " + fine + " without loss", "2 digits", "3 digits"}},
		{"twice", []string{dir, resultstest.Folder(t, dir, 1)}, []string{"cannot be added twice", resultstest.Folder(t, dir, 1)}},
	} {
		_, err := merge.Add(find(t, tt.paths...), "")
		if !errors.Is(err, merge.ErrInput) {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		for _, want := range tt.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v does not say %q", tt.name, err, want)
			}
		}
	}
	if _, err := merge.Add(find(t, dir), "lga"); !errors.Is(err, source.ErrTag) {
		t.Errorf("a tag that is not there: %v", err)
	}
}

// A cell's log that was cut has fewer values than its ledger: their sum would be
// silently wrong.
func TestALogThatIsNotWhole(t *testing.T) {
	dir := sample(t)
	path := filepath.Join(resultstest.Folder(t, dir, 0), results.IntervalsFile)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	if err := os.WriteFile(path, bytes.Join(lines[:len(lines)-4], nil), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = merge.Add(find(t, dir), "")
	if err == nil || errors.Is(err, merge.ErrInput) || !strings.Contains(err.Error(), "it holds 2000 values tagged response, but cell.json counts 3000") {
		t.Errorf("%v", err)
	}
}

func TestACellWithoutAReply(t *testing.T) {
	dir := resultstest.Write(t, "dead", resultstest.Cell{Target: "nats", Rate: 10, Missing: 30},
		resultstest.Cell{Target: "nats", Rate: 10, Repeat: 2, Seconds: ramp(1, 10, 1)})
	m := add(t, "", find(t, dir)...)
	if m.Distribution.Count != 10 || m.Distribution.Missing != 30 || !m.Start.Equal(resultstest.Began()) {
		t.Errorf("%+v", m)
	}
	if row, _ := m.Distribution.At(50); row.ValueNS != nil {
		t.Error("p50 is known, although three of four are missing")
	}
}

// A sum of messages that survive different failures says so. Cells of which that is not known
// are no other level.
func TestASumOfDifferentPromises(t *testing.T) {
	at := func(repeat int, b *requester.Backing) resultstest.Cell {
		return resultstest.Cell{
			Target: "nats", Rate: 1000, Repeat: repeat, Seconds: ramp(1, 100, 1),
			Change: func(c *results.Cell) { c.Broker.Durability = b },
		}
	}
	asked := &requester.Backing{Level: requester.Node, Asked: requester.Process}
	process, machine := &requester.Backing{Level: requester.Process}, &requester.Backing{Level: requester.Machine}
	for name, tt := range map[string]struct {
		cells []resultstest.Cell
		want  string // "": nothing is said
	}{
		"the same":          {[]resultstest.Cell{at(1, process), at(2, asked), at(3, nil)}, ""},
		"one below another": {[]resultstest.Cell{at(1, machine), at(2, process)}, "NOT THE SAME PROMISE: the cells are at the durability process and machine"},
	} {
		notes := strings.Join(add(t, "", find(t, resultstest.Write(t, "levels", tt.cells...))...).Notes, "\n")
		if strings.Contains(notes, "PROMISE") != (tt.want != "") || !strings.Contains(notes, tt.want) {
			t.Errorf("%s: notes %q", name, notes)
		}
	}
}

func TestTagsWithoutALedger(t *testing.T) {
	m := add(t, "hiccup", find(t, sample(t))[0])
	if m.Distribution.Count != 3 || m.Distribution.Missing != 0 || m.Tag != "hiccup" {
		t.Errorf("%+v", m.Distribution)
	}
	mixed := add(t, "", find(t, sample(t))[0], find(t, write(t, "untagged.hlog", 3))[0])
	if mixed.Tag != "" || !slices.ContainsFunc(mixed.Notes, func(n string) bool { return strings.Contains(n, "the tags differ") }) {
		t.Errorf("tag %q, notes %q", mixed.Tag, mixed.Notes)
	}
}

// A sum is read back from JSON as what was written.
func TestJSON(t *testing.T) {
	m := add(t, "", find(t, sample(t))...)
	for i := range m.Parts {
		m.Parts[i].Path = "run/cells/" + filepath.Base(m.Parts[i].Path) // not where the test lies
	}
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "sum.json", string(text)+"\n")
	back := merge.Sum{Histogram: m.Histogram}
	if err := json.Unmarshal(text, &back); err != nil || !reflect.DeepEqual(&back, m) {
		t.Errorf("%+v came back as %+v, %v", m, back, err)
	}
}

func ExampleAdd() {
	found, _, err := source.Find([]string{"../../histogram/testdata/golden/golden.hlog"})
	if err != nil {
		fmt.Println(err)
		return
	}
	sum, err := merge.Add(found, "stall")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(sum.Histogram.Count(), sum.Histogram.Quantile(99))
	// Output: 10000 901.251071ms
}

// What limits a percentile of cells limits that of their sum, unless few of its messages are theirs.
func TestMarksSurviveMerge(t *testing.T) {
	cell := func(repeat int, limited bool) resultstest.Cell {
		return resultstest.Cell{Target: "nats", Rate: 1000, Repeat: repeat, Seconds: ramp(20, 1000, 1), Change: func(c *results.Cell) {
			if limited {
				c.Judge([]results.Problem{{Code: "hiccups", Limits: []results.Limit{{Series: "response", Percentiles: []float64{99}}}}})
			} else {
				c.Judge(nil)
			}
		}}
	}
	for _, tt := range []struct {
		limited [3]bool
		want    bool
	}{{[3]bool{}, false}, {[3]bool{true, false, false}, false}, {[3]bool{true, true, false}, true}} {
		var cells []resultstest.Cell
		for i, limited := range tt.limited {
			cells = append(cells, cell(i+1, limited))
		}
		m := add(t, "", find(t, resultstest.Write(t, "marks", cells...))...)
		for i, part := range m.Parts {
			if row, _ := part.Distribution.At(99); row.Usable() == tt.limited[i] {
				t.Errorf("%v: part %d is usable: %v", tt.limited, i, row.Usable())
			}
		}
		p99, _ := m.Distribution.At(99)
		if limited := slices.Contains(p99.LimitedBy, "hiccups"); limited != tt.want || p99.Use == "" {
			t.Errorf("%v: the p99 of the sum is %s, limited by %v", tt.limited, p99.Use, p99.LimitedBy)
		}
	}
}

// A tag that no rule judges stays without marks.
func TestHiccupsHaveNoMarks(t *testing.T) {
	m := add(t, source.Hiccup, find(t, sample(t))[0])
	if p50, _ := m.Distribution.At(50); p50.Use != "" || p50.ValueNS == nil {
		t.Errorf("%+v", p50)
	}
}

// Percentiles over sections of a rate that changes would be of several rates.
func TestSectionsAreNotAdded(t *testing.T) {
	sources := find(t, sample(t))[:2]
	for i, sections := range [][2]int{{1, 1}, {1, 2}, {0, 1}} {
		for j := range sources {
			sources[j].Cell.Plan.Shape.Section = sections[j]
		}
		if _, err := merge.Add(sources, ""); errors.Is(err, merge.ErrInput) != (i > 0) {
			t.Errorf("sections %v: %v", sections, err)
		}
	}
}

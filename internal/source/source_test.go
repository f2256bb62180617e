package source_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/resultstest"
	"github.com/brokerbench/brokerbench/internal/source"
	"github.com/brokerbench/brokerbench/results"
)

const golden = "../../histogram/testdata/golden/"

// two is a run of two cells of two seconds.
func two(t *testing.T) string {
	seconds := [][]time.Duration{{time.Millisecond, 2 * time.Millisecond}, {3 * time.Millisecond}}
	return resultstest.Write(t, "two",
		resultstest.Cell{Target: "nats", Rate: 1000, Seconds: seconds, Missing: 7},
		resultstest.Cell{Target: "redis", Rate: 1000, Seconds: seconds, Hiccup: time.Millisecond})
}

// find returns the sources of one path.
func find(t *testing.T, path string) []source.Source {
	t.Helper()
	found, notes, err := source.Find([]string{path})
	if err != nil || len(notes) > 0 {
		t.Fatalf("%s: %v, notes %v", path, err, notes)
	}
	return found
}

// writeFile writes a file, and its folder, and returns its path.
func writeFile(t *testing.T, path string, text string) string {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
	return path
}

// goldenLog returns the text of a log.
func goldenLog(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(golden + "golden.hlog")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestFindOwnFiles(t *testing.T) {
	dir := two(t)
	cell := resultstest.Folder(t, dir, 0)
	for _, tt := range []struct {
		path, tag string
		cells     int
	}{
		{dir, "", 2},
		{dir + "/", "", 2},
		{filepath.Join(dir, results.RunFile), "", 2},
		{cell, "", 1},
		{filepath.Join(cell, results.CellFile), "", 1},
		{filepath.Join(cell, results.IntervalsFile), "", 1},
		{filepath.Join(cell, results.ResponseFile), source.Response, 1},
		{filepath.Join(cell, results.ServiceFile), source.Service, 1},
	} {
		found := find(t, tt.path)
		if len(found) != tt.cells || found[0].Cell == nil || found[0].Cell.Ledger.Lost != 7 || found[0].Tag != tt.tag || found[0].Run == "" {
			t.Errorf("%s: %+v", tt.path, found)
		}
	}
}

func TestFindForeignFiles(t *testing.T) {
	misnamed := writeFile(t, filepath.Join(t.TempDir(), "memtier.hgrm"), goldenLog(t)) // there are tools that do that
	for path, isLog := range map[string]bool{
		golden + "stall.hgrm": false, golden + "empty.hgrm": false, golden + "golden.hlog": true, golden + "absolute.hlog": true, misnamed: true,
	} {
		s := find(t, path)[0]
		if s.Cell != nil || (s.Table == nil) != isLog || (s.Log != "") != isLog || s.Name() != filepath.Base(path) {
			t.Errorf("%s: %+v", path, s)
		}
	}
}

// The merged histogram of repeats brings along what is missing in all of them.
func TestFindMergedRepeats(t *testing.T) {
	store, err := results.Create(t.TempDir(), "repeats", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	h := histogram.New()
	h.Record(time.Millisecond)
	cell := &results.Cell{Ledger: results.Ledger{Due: 5, Done: 1, Lost: 4}}
	summary := results.NewSummary([]*results.Cell{cell}, h)
	if err := store.SaveSummary(summary, h); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(store.Dir(), results.SummaryFolder, summary.ID)
	for _, path := range []string{dir, filepath.Join(dir, results.MergedFile)} {
		if s := find(t, path)[0]; s.Table == nil || s.Table.Count != 1 || s.Of.Missing != 4 || s.Tag != source.Response {
			t.Errorf("%s: %+v", path, s)
		}
	}
}

func TestFindErrors(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string { return writeFile(t, filepath.Join(dir, name), text) }
	run := two(t)
	for _, tt := range []struct{ path, want string }{
		{filepath.Join(dir, "nothing"), "no such file or directory (want the folder of a run or of a cell, a .hgrm or a .hlog)"},
		{t.TempDir(), "neither the folder of a run (there is no run.json) nor of a cell (no cell.json)"},
		{filepath.Dir(run), "(name one, such as " + run},
		{write("a.pdf", "%PDF-1.5"), "a.pdf: neither an interval log nor a percentile table: reading percentiles: no percentile table"},
		{write("a.hgrm", ""), "neither an interval log nor a percentile table"},
		{filepath.Dir(write("b/run.json", "{")), "run.json: unexpected end of JSON input"},
		{filepath.Dir(write("c/cell.json", `{"schema":"brokerbench/cell/9"}`)), `schema "brokerbench/cell/9"`},
		{filepath.Dir(write("d/run.json", `{"schema":"brokerbench/run/1","cells":[{"id":"a","error":"down"}]}`)), "none of its 1 cells was measured"},
	} {
		_, _, err := source.Find([]string{run, tt.path})
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", tt.path, err, tt.want)
		}
	}
}

func TestNotesTellWhatIsNotThere(t *testing.T) {
	dir := two(t)
	store, err := results.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	run, err := store.Run()
	if err != nil {
		t.Fatal(err)
	}
	run.Cells = append(run.Cells, results.Entry{ID: "kafka", Error: "down"})
	if err := store.SaveRun(run); err != nil {
		t.Fatal(err)
	}
	found, notes, err := source.Find([]string{dir})
	if err != nil || len(found) != 2 || len(notes) != 1 || !strings.Contains(notes[0], "kafka was not measured") {
		t.Errorf("%d sources, notes %q, %v", len(found), notes, err)
	}
	killed := resultstest.Folder(t, dir, 0)
	if err := os.Remove(filepath.Join(killed, results.CellFile)); err != nil {
		t.Fatal(err)
	}
	found, notes, err = source.Find([]string{killed})
	if err != nil || found[0].Log == "" || len(notes) != 1 || !strings.Contains(notes[0], results.CellFile) {
		t.Errorf("%+v, notes %q, %v", found, notes, err)
	}
}

func TestSum(t *testing.T) {
	s := find(t, two(t))[1]
	for _, asked := range []string{"", source.Response} {
		total, err := s.Sum(asked)
		if err != nil || total.Cut || !total.Start.Equal(resultstest.Began()) {
			t.Fatalf("%+v, %v", total, err)
		}
		if total.Tag != source.Response || total.Intervals != 2 || total.From != 0 || total.To != 2*time.Second || total.Histogram().Count() != 3 {
			t.Errorf("%+v", total)
		}
	}
	if _, err := s.Sum("other"); !errors.Is(err, source.ErrTag) || !strings.Contains(err.Error(), "hiccup, response, service") {
		t.Errorf("error %v", err)
	}
}

func TestSumOfACutLog(t *testing.T) {
	text := goldenLog(t)
	path := writeFile(t, filepath.Join(t.TempDir(), "cut.hlog"), text[:len(text)-20])
	if total, err := find(t, path)[0].Sum("hour"); err != nil || !total.Cut {
		t.Errorf("%+v, %v", total, err)
	}
	if _, err := find(t, path)[0].Sum("many"); !errors.Is(err, source.ErrTag) {
		t.Errorf("error %v", err)
	}
	writeFile(t, path, text[:500]+"\nnonsense\n")
	if _, err := find(t, path)[0].Sum("hour"); err == nil || !strings.HasPrefix(err.Error(), path+": ") {
		t.Errorf("error %v does not name %s", err, path)
	}
}

func TestChooseTag(t *testing.T) {
	for _, tt := range []struct {
		asked string
		have  []string
		want  string // "!" is an error
	}{
		{"", []string{"lag", "response", ""}, "response"},
		{"", []string{"lag", ""}, ""},
		{"", []string{"lag"}, "lag"},
		{"lag", []string{"response", "lag"}, "lag"},
		{"", []string{"a", "b"}, "!"},
		{"", nil, "!"},
		{"lag", []string{"response", ""}, "!"},
	} {
		got, err := source.ChooseTag(tt.asked, tt.have)
		if tt.want == "!" {
			if !errors.Is(err, source.ErrTag) || !strings.Contains(err.Error(), "--tag") {
				t.Errorf("%q of %q: %q, %v", tt.asked, tt.have, got, err)
			}
		} else if err != nil || got != tt.want {
			t.Errorf("%q of %q: %q, %v; want %q", tt.asked, tt.have, got, err, tt.want)
		}
	}
}

func TestReadTable(t *testing.T) {
	s := find(t, two(t))[0]
	for tag, most := range map[string]float64{source.Response: 3.0, source.Service: 1.5} {
		table, err := s.ReadTable(tag)
		if err != nil || table.Max < most || table.Max > most*1.001 {
			t.Errorf("%s: max %v, %v", tag, table.Max, err)
		}
	}
	for _, tag := range []string{source.Corrected, "lag"} {
		if _, err := s.ReadTable(tag); err == nil {
			t.Errorf("a table of %s was read", tag)
		}
	}
}

// Targets are in the order of the plan, whichever cells are asked for; runs follow
// each other, and files have no targets.
func TestTargets(t *testing.T) {
	run := two(t)
	other := resultstest.Write(t, "other", resultstest.Cell{Target: "kafka", Rate: 10}, resultstest.Cell{Target: "nats", Rate: 10})
	for _, tt := range []struct {
		paths []string
		want  []string
	}{
		{[]string{golden + "stall.hgrm"}, nil},
		{[]string{resultstest.Folder(t, run, 1)}, []string{"nats", "redis"}},
		{[]string{other, run}, []string{"kafka", "nats", "nats", "redis"}},
	} {
		found, _, err := source.Find(tt.paths)
		if got := source.Targets(found); err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%v: %q, %v; want %q", tt.paths, got, err, tt.want)
		}
	}
	damaged := find(t, run)
	writeFile(t, filepath.Join(run, results.RunFile), "{")
	if got := source.Targets(damaged); got != nil {
		t.Errorf("of a run that cannot be read: %q", got)
	}
}

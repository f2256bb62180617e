package results_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/results"
)

func TestAStoreIsNeverOverwritten(t *testing.T) {
	out, now := t.TempDir(), time.Now()
	first, err := results.Create(out, "name", now)
	if err != nil {
		t.Fatal(err)
	}
	second, err := results.Create(out, "name", now)
	if err != nil || second.Dir() == first.Dir() {
		t.Fatalf("%s and %s, %v", first.Dir(), second.Dir(), err)
	}
	if _, err := first.CreateCell("cell"); err != nil {
		t.Fatal(err)
	}
	if _, err := first.CreateCell("cell"); !errors.Is(err, fs.ErrExist) {
		t.Errorf("creating a cell again: %v", err)
	}
	folder := first.Cell("cell")
	if f, err := folder.CreateIntervals(); err != nil || f.Close() != nil {
		t.Fatal(err)
	}
	if _, err := folder.CreateIntervals(); !errors.Is(err, fs.ErrExist) {
		t.Errorf("creating a log again: %v", err)
	}
}

func TestRunComesBack(t *testing.T) {
	store := newStore(t)
	for range 2 { // it is written again as the run goes on
		if err := store.SaveRun(results.Run{Name: "name", Command: []string{"brokerbench", "run"}}); err != nil {
			t.Fatal(err)
		}
	}
	again, err := results.Open(store.Dir())
	if err != nil {
		t.Fatal(err)
	}
	if run, err := again.Run(); err != nil || run.Name != "name" || run.Schema != results.RunSchema {
		t.Errorf("%+v, %v", run, err)
	}
	if files, _ := filepath.Glob(filepath.Join(store.Dir(), ".*")); len(files) > 0 {
		t.Errorf("temporary files are left: %v", files)
	}
}

func TestOpenRefusesWhatIsNoRun(t *testing.T) {
	if _, err := results.Open(t.TempDir()); err == nil || !strings.Contains(err.Error(), "not the folder of a run") {
		t.Errorf("an empty folder: %v", err)
	}
}

func TestASchemaOfTheFutureIsRefused(t *testing.T) {
	for name, read := range map[string]func(dir string) error{
		results.RunFile: func(dir string) error {
			store, err := results.Open(dir)
			if err == nil {
				_, err = store.Run()
			}
			return err
		},
		results.CellFile:      func(dir string) error { _, err := results.OpenCell(dir).Read(); return err },
		results.ResourcesFile: func(dir string) error { _, err := results.OpenCell(dir).ReadUsage(); return err },
		results.SummaryFile:   func(dir string) error { _, err := results.OpenSummary(dir); return err },
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(`{"schema":"brokerbench/x/99"}`), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := read(dir); err == nil || !strings.Contains(err.Error(), "brokerbench/x/99") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAFullDiskIsAnErrorThatNamesTheFile(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("this system has no /dev/full")
	}
	if _, err := results.Create("/dev/full", "name", time.Now()); err == nil || !strings.Contains(err.Error(), "/dev/full") {
		t.Errorf("creating a store in a file: %v", err)
	}
}

func TestDistribution(t *testing.T) {
	h := histogram.New()
	for i := 1; i <= 1000; i++ {
		h.Record(time.Duration(i) * time.Microsecond)
	}
	d := results.NewDistribution(h, 0)
	if row, ok := d.At(99); !ok || row.SamplesAbove != 10 || !row.Trusted {
		t.Errorf("p99 of 1000: %+v", row)
	}
	if d.MaxNS != 1_000_000 || d.Count != 1000 {
		t.Errorf("%+v", d)
	}
	lossy := results.NewDistribution(h, 100)
	for _, tt := range []struct {
		percentile float64
		known      bool
	}{{50, true}, {90, true}, {95, false}, {100, false}} {
		row, _ := lossy.At(tt.percentile)
		if _, known := row.Value(); known != tt.known || row.Trusted && !known {
			t.Errorf("100 of 1100 missing: p%v %+v", tt.percentile, row)
		}
	}
	text, err := json.Marshal(lossy)
	if err != nil || !strings.Contains(string(text), `{"percentile":95,"value_ns":null,"samples_above":55,"trusted":false}`) {
		t.Errorf("%s, %v", text, err)
	}
	if _, ok := d.At(42); ok {
		t.Error("p42 is not listed, but found")
	}
}

func TestJudge(t *testing.T) {
	var c results.Cell
	c.Judge(nil)
	if c.Verdict != results.Valid || len(c.Problems) != 0 {
		t.Errorf("without problems: %s %v", c.Verdict, c.Problems)
	}
	c.Judge([]results.Problem{
		{Code: "note", Severity: results.Valid},
		{Code: "bad", Severity: results.Invalid},
		{Code: "doubt", Severity: results.Suspect},
	})
	if c.Verdict != results.Invalid || c.Problems[0].Code != "bad" || c.Problems[2].Code != "note" {
		t.Errorf("%s %v", c.Verdict, c.Problems)
	}
	if !results.Invalid.Worse(results.Suspect) || results.Valid.Worse(results.Suspect) {
		t.Error("verdicts are not in order")
	}
}

// A link to a disk that is not mounted is an error, not a name that is taken.
func TestCreateBehindADanglingLink(t *testing.T) {
	link := filepath.Join(t.TempDir(), "out")
	if err := os.Symlink(filepath.Join(t.TempDir(), "absent", "disk"), link); err != nil {
		t.Fatal(err)
	}
	if _, err := results.Create(link, "run", time.Now()); !errors.Is(err, fs.ErrExist) && !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v, want one about the link", err)
	}
}

// Series of groups are judged like the response, and a missing delivery ranks above all of them.
func TestSeriesOfGroups(t *testing.T) {
	c := &results.Cell{Ledger: results.Ledger{Due: 10, Done: 9, Lost: 1}, First: new(results.Distribution), Each: &results.Distribution{Missing: 3}}
	if want := []string{"response", "service", "first", "each"}; !slices.Equal(c.SeriesNames(), want) {
		t.Errorf("%q, want %q", c.SeriesNames(), want)
	}
	if first, each, response := c.MissingOf("first"), c.MissingOf("each"), c.MissingOf("response"); first != 0 || each != 3 || response != 1 {
		t.Errorf("missing of first %d, of each %d, of the response %d", first, each, response)
	}
}

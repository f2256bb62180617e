package results_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/golden"
	"github.com/brokerbench/brokerbench/results"
)

// known is an interval in which everything is known.
func known(from, to time.Duration) results.Usage {
	return results.Usage{
		FromNS: int64(from), ToNS: int64(to), HiccupMaxNS: 10_300_000,
		Process: results.ProcessUsage{
			CPUCores: 0.75, UserCores: 0.5, SystemCores: 0.25, ResidentBytes: new(int64(50 << 20)),
			VoluntarySwitches: new(int64(1000)), InvoluntarySwitches: new(int64(7)), RunWaitNS: new(int64(12_000_000)),
		},
		Go: results.GoUsage{
			GCCycles: 2, GCPauseMaxNS: 40_960, GCPauseTotalNS: 90_112, SchedLatencyP99NS: 10_240, SchedLatencyMaxNS: 163_840,
			HeapBytes: 4 << 20, Goroutines: 12,
		},
		Machine: &results.MachineUsage{
			CPUs: 2, BusyCores: 1.5, StealCores: 0.02, IOWaitCores: 0.01, ContextSwitches: 30_000, Runnable: 3,
			RunWaitNS: new(int64(20_000_000)), PressureCPUSomeNS: new(int64(15_000_000)),
			NetworkReceivedBytes: new(int64(3_072_000)), NetworkSentBytes: new(int64(3_073_000)), ThrottledNS: new(int64(0)),
		},
	}
}

// unknown is an interval on a system that tells little.
func unknown(from, to time.Duration) results.Usage {
	u := known(from, to)
	u.Process.ResidentBytes, u.Process.RunWaitNS, u.Machine = nil, nil, nil
	return u
}

// partly is an interval on a kernel without some of the files.
func partly(from, to time.Duration) results.Usage {
	u := known(from, to)
	u.Machine.RunWaitNS, u.Machine.PressureCPUSomeNS, u.Machine.ThrottledNS = nil, nil, nil
	return u
}

func cellFolder(t *testing.T) *results.CellFolder {
	t.Helper()
	store, err := results.Create(t.TempDir(), "name", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	folder, err := store.CreateCell("cell")
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

func TestUsageComesBack(t *testing.T) {
	folder := cellFolder(t)
	want := []results.Usage{known(0, time.Second), partly(time.Second, 2*time.Second), unknown(2*time.Second, 2500*time.Millisecond)}
	if err := folder.SaveUsage(want); err != nil {
		t.Fatal(err)
	}
	if got, err := folder.ReadUsage(); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v\nwant %+v", got, err, want)
	}
	for _, name := range []string{results.ResourcesFile, results.ResourcesTable} {
		got, err := os.ReadFile(filepath.Join(folder.Dir(), name))
		if err != nil {
			t.Fatal(err)
		}
		golden.Check(t, name, string(got))
	}
	if files, _ := filepath.Glob(filepath.Join(folder.Dir(), ".*")); len(files) > 0 {
		t.Errorf("temporary files are left: %v", files)
	}
}

// Every row has a field for every column, whatever is unknown.
func TestResourcesTableIsRectangular(t *testing.T) {
	folder := cellFolder(t)
	if err := folder.SaveUsage([]results.Usage{known(0, 1), partly(1, 2), unknown(2, 3), {}}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(folder.Dir(), results.ResourcesTable))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	header := strings.Split(lines[0], ",")
	names := make(map[string]bool)
	fields(reflect.TypeFor[results.Usage](), names)
	if len(lines) != 5 || len(header) < len(names)-3 || slices.Contains(header, "") {
		t.Fatalf("%d lines, %d columns for %d names: %q", len(lines), len(header), len(names), header)
	}
	for i, line := range lines[1:] {
		if got := strings.Split(line, ","); len(got) != len(header) {
			t.Errorf("row %d has %d fields, the header %d", i, len(got), len(header))
		}
	}
}

func TestUsageOfNoIntervals(t *testing.T) {
	folder := cellFolder(t)
	if _, err := folder.ReadUsage(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("before it is written: %v", err)
	}
	if err := folder.SaveUsage(nil); err != nil {
		t.Fatal(err)
	}
	if got, err := folder.ReadUsage(); err != nil || got == nil || len(got) != 0 {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestReadUsageRefusesAnotherSchema(t *testing.T) {
	folder := cellFolder(t)
	path := filepath.Join(folder.Dir(), results.ResourcesFile)
	if err := os.WriteFile(path, []byte(`{"schema":"brokerbench/resources/99"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := folder.ReadUsage(); err == nil || !strings.Contains(err.Error(), "brokerbench/resources/99") {
		t.Errorf("a schema of the future: %v", err)
	}
}

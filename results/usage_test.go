package results_test

import (
	"encoding/csv"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/golden"
	"github.com/brokerbench/brokerbench/results"
)

// usageOf makes an interval of its numbers, in the order of the fields.
func usageOf(from, to time.Duration, cores [6]float64, n [19]int64) results.Usage {
	return results.Usage{
		FromNS: int64(from), ToNS: int64(to), HiccupMaxNS: n[0],
		Process: results.ProcessUsage{
			CPUCores: cores[0], UserCores: cores[1], SystemCores: cores[2], ResidentBytes: &n[1],
			VoluntarySwitches: &n[2], InvoluntarySwitches: &n[3], RunWaitNS: &n[4],
		},
		Go: results.GoUsage{
			GCCycles: n[5], GCPauseMaxNS: n[6], GCPauseTotalNS: n[7], SchedLatencyP99NS: n[8], SchedLatencyMaxNS: n[9],
			HeapBytes: n[10], Goroutines: n[11],
		},
		Machine: &results.MachineUsage{
			CPUs: n[12], BusyCores: cores[3], StealCores: cores[4], IOWaitCores: cores[5], ContextSwitches: n[13], Runnable: n[14],
			RunWaitNS: &n[15], PressureCPUSomeNS: &n[16], NetworkReceivedBytes: &n[17], NetworkSentBytes: &n[18], ThrottledNS: new(int64),
		},
	}
}

// known is an interval in which everything is known.
func known(from, to time.Duration) results.Usage {
	return usageOf(from, to, [6]float64{0.75, 0.5, 0.25, 1.5, 0.02, 0.01}, [19]int64{
		10_300_000, 50 << 20, 1000, 7, 12_000_000, 2, 40_960, 90_112, 10_240, 163_840, 4 << 20, 12,
		2, 30_000, 3, 20_000_000, 15_000_000, 3_072_000, 3_073_000,
	})
}

// unknown is an interval on a system that shows little.
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

// saveUsage writes both files of a cell.
func saveUsage(folder *results.CellFolder, intervals ...results.Usage) error {
	w, err := folder.CreateUsage()
	if err != nil {
		return err
	}
	for _, u := range intervals {
		w.Write(u)
	}
	return w.Close()
}

func newStore(t *testing.T) *results.Store {
	t.Helper()
	store, err := results.Create(t.TempDir(), "name", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return store
}

func cellFolder(t *testing.T) *results.CellFolder {
	t.Helper()
	folder, err := newStore(t).CreateCell("cell")
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

func TestUsageComesBack(t *testing.T) {
	folder := cellFolder(t)
	want := []results.Usage{known(0, time.Second), partly(time.Second, 2*time.Second), unknown(2*time.Second, 2500*time.Millisecond)}
	if err := saveUsage(folder, want...); err != nil {
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
	if err := saveUsage(folder, known(0, 1), partly(1, 2), unknown(2, 3), results.Usage{}); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(filepath.Join(folder.Dir(), results.ResourcesTable))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll() // an error if a row has not as many fields as the first
	if err != nil {
		t.Fatal(err)
	}
	names := make(map[string]bool)
	fields(reflect.TypeFor[results.Usage](), names)
	if header := rows[0]; len(rows) != 5 || len(header) < len(names)-3 || slices.Contains(header, "") {
		t.Errorf("%d lines, %d columns for %d names: %q", len(rows), len(header), len(names), header)
	}
}

func TestUsageOfNoIntervals(t *testing.T) {
	folder := cellFolder(t)
	if _, err := folder.ReadUsage(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("before it is written: %v", err)
	}
	if err := saveUsage(folder); err != nil {
		t.Fatal(err)
	}
	if got, err := folder.ReadUsage(); err != nil || got == nil || len(got) != 0 {
		t.Errorf("got %+v, %v", got, err)
	}
}

// What is unknown of one node, or in one interval, is unknown in the sum.
func TestNodesAndCost(t *testing.T) {
	known := func(cpu, resident, written int64) results.NodeUsage {
		return results.NodeUsage{Node: "1", Processes: 1, CPUNS: &cpu, ResidentBytes: &resident, ReadBytes: new(int64(1)), WrittenBytes: &written}
	}
	sum := results.AddNodes(nil, []results.NodeUsage{known(100, 30, 1000)})
	sum = results.AddNodes(sum, []results.NodeUsage{known(200, 20, 2000)})
	if n := sum[0]; len(sum) != 1 || *n.CPUNS != 300 || *n.ResidentBytes != 30 || *n.ReadBytes != 2 || *n.WrittenBytes != 3000 {
		t.Errorf("%+v", sum)
	}
	c := results.NewCost(sum, 1000, 10, new(0.5))
	if *c.NodesCores != 0.3 || *c.NodesCPUNS != 30 || *c.WrittenBytes != 300 || *c.ResidentBytes != 30 || *c.ClientCPUNS != 50 {
		t.Errorf("%+v", c)
	}
	if results.NewCost(sum, 1000, 0, nil) != nil || results.NewCost(nil, 1000, 1, nil) != nil {
		t.Error("nothing costs something")
	}
	sum = results.AddNodes(sum, []results.NodeUsage{{Node: "1"}})
	if c = results.NewCost(sum, 1000, 10, nil); c.NodesCPUNS != nil || c.WrittenBytes != nil || c.ClientCPUNS != nil || c.Messages != 10 {
		t.Errorf("%+v of what is not known", c)
	}
	a, b := results.NewCost([]results.NodeUsage{known(100, 30, 0)}, 1000, 10, new(0.1)), results.NewCost([]results.NodeUsage{known(500, 10, 0)}, 3000, 50, new(0.1))
	if m := results.MeanCost([]results.Cost{*a, *b}); *m.NodesCPUNS != 10 || *m.NodesCores != 0.15 || *m.ResidentBytes != 30 || m.Messages != 60 {
		t.Errorf("%+v is the mean", m)
	}
}

func TestNodesComeBack(t *testing.T) {
	folder := cellFolder(t)
	w, err := folder.CreateNodes()
	if err != nil {
		t.Fatal(err)
	}
	want := []results.NodeInterval{{FromNS: 1, ToNS: 2, NodeUsage: results.NodeUsage{Node: "a,b", Processes: 1, CPUNS: new(int64(5))}}, {FromNS: 2, ToNS: 3, NodeUsage: results.NodeUsage{Node: "2"}}}
	for _, n := range want {
		w.Write(n)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if got, err := folder.ReadNodes(); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
	text, err := os.ReadFile(filepath.Join(folder.Dir(), results.NodesTable))
	if wantText := "from_ns,to_ns,node,processes,cpu_ns,resident_bytes,read_bytes,written_bytes,cancelled_bytes\n1,2,\"a,b\",1,5,,,,\n2,3,2,0,,,,,\n"; err != nil || string(text) != wantText {
		t.Errorf("%s, %v", text, err)
	}
}

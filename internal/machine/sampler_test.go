package machine

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"runtime/metrics"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/results"
)

// write writes files of the /proc below a folder.
func write(t *testing.T, folder string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(folder, "proc", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// fakeProc makes a root folder with a /proc in which we are process 42.
func fakeProc(t *testing.T, files map[string]string) (folder string) {
	t.Helper()
	folder = t.TempDir()
	write(t, folder, files)
	if err := os.Symlink("42", filepath.Join(folder, "proc", "self")); err != nil {
		t.Fatal(err)
	}
	return folder
}

const netHeader = "Inter-|   Receive                                                |  Transmit\n" +
	" face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed\n"

// before and after are what a kernel shows two seconds apart.
var before = map[string]string{
	"stat": "cpu  1000 100 500 9000 30 10 20 40 50 0\ncpu0 500 50 250 4500 15 5 10 20 25 0\ncpu1 500 50 250 4500 15 5 10 20 25 0\n" +
		"intr 5 1 2\nctxt 70000\nbtime 1\nprocesses 9\nprocs_running 1\nprocs_blocked 0\nsoftirq 0 0 0 0 0 0 0 0 0 0 0\n",
	"schedstat":            "version 15\ntimestamp 1\ncpu0 0 0 0 0 0 0 9000 1000 5\ndomain0 03 0 0\ncpu1 0 0 0 0 0 0 9000 2000 5\n",
	"pressure/cpu":         "some avg10=0.00 avg60=0.00 avg300=0.00 total=7000\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n",
	"net/dev":              netHeader + "    lo: 1000 1 0 0 0 0 0 0 1000 1 0 0 0 0 0 0\n  eth0: 5000 1 0 0 0 0 0 0 600 1 0 0 0 0 0 0\n",
	"42/statm":             "9000 100 50 1 0 1 0\n",
	"42/cgroup":            "0::/\n",
	"42/mountinfo":         "2 1 0:1 / /cgroup rw - cgroup2 none rw\n",
	"../cgroup/cpu.stat":   "throttled_usec 5\n",
	"42/task/42/schedstat": "1 400 1\n",
	"42/task/43/schedstat": "1 9000 1\n",
	"42/task/44/schedstat": "1 70 1\n",
}

var after = map[string]string{
	// Of two CPUs in two seconds: 0.8 s user, 0.2 s nice, 0.5 s system, 0.1 s of
	// both interrupts; 0.06 s stolen; the kernel took back some waiting.
	"stat": "cpu  1080 120 550 9234 25 16 24 46 60 0\ncpu0 540 60 275 4600 12 8 12 23 30 0\ncpu1 540 60 275 4600 13 8 12 23 30 0\n" +
		"intr 5 1 2\nctxt 71234\nbtime 1\nprocesses 9\nprocs_running 3\nprocs_blocked 0\nsoftirq 0 0 0 0 0 0 0 0 0 0 0\n",
	"schedstat":            "version 15\ntimestamp 1\ncpu0 0 0 0 0 0 0 9000 1100 5\ndomain0 03 0 0\ncpu1 0 0 0 0 0 0 9000 2030 5\n",
	"pressure/cpu":         "some avg10=0.00 avg60=0.00 avg300=0.00 total=7021\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n",
	"net/dev":              netHeader + "    lo: 1500 1 0 0 0 0 0 0 1500 1 0 0 0 0 0 0\n  eth0: 5007 1 0 0 0 0 0 0 609 1 0 0 0 0 0 0\n",
	"42/statm":             "9000 120 50 1 0 1 0\n",
	"42/task/42/schedstat": "1 600 1\n", // thread 43 ends, 44's number is given to another, 45 is new
	"42/task/44/schedstat": "1 7 1\n",
	"42/task/45/schedstat": "1 30 1\n",
	"../cgroup/cpu.stat":   "throttled_usec 12\n",
}

func TestSampleIsWhatHappenedSinceTheLastLook(t *testing.T) {
	folder := fakeProc(t, before)
	synctest.Test(t, func(t *testing.T) {
		s := newSampler(folder)
		time.Sleep(2 * time.Second)
		write(t, folder, after)
		if err := os.RemoveAll(filepath.Join(folder, "proc/42/task/43")); err != nil {
			t.Fatal(err)
		}
		got := s.Sample(func() {})
		want := results.MachineUsage{
			CPUs: 2, BusyCores: 0.8, StealCores: 0.03, IOWaitCores: 0, ContextSwitches: 1234, Runnable: 3,
			RunWaitNS: new(int64(130)), PressureCPUSomeNS: new(int64(21_000)),
			NetworkReceivedBytes: new(int64(507)), NetworkSentBytes: new(int64(509)), ThrottledNS: new(int64(7000)),
		}
		if got.Machine == nil || !reflect.DeepEqual(*got.Machine, want) {
			t.Errorf("machine:\ngot  %+v\nwant %+v", got.Machine, want)
		}
		if bytes := got.Process.ResidentBytes; bytes == nil || *bytes != int64(120*os.Getpagesize()) {
			t.Errorf("resident bytes: %v", bytes)
		}
		if wait := got.Process.RunWaitNS; wait == nil || *wait != 200+7+30 {
			t.Errorf("threads waited %v ns, want 237", wait)
		}
		time.Sleep(time.Second)
		if again := s.Sample(func() {}); again.Machine.ContextSwitches != 0 || again.Machine.BusyCores != 0 || *again.Process.RunWaitNS != 0 {
			t.Errorf("nothing happened since, but %+v", again.Machine)
		}
	})
}

// A process that may run on one of two CPUs is told what ran there.
func TestSampleOfTheCPUsThatAreOurs(t *testing.T) {
	stat := func(cpu1 string) string {
		return "cpu  1000 0 0 9000 0 0 0 40 0 0\ncpu0 900 0 0 4500 0 0 0 20 0 0\ncpu1 " + cpu1 + "\nctxt 1\nprocs_running 1\n"
	}
	for mask, want := range map[string]*results.CPUUsage{
		"1": {CPUs: 1, BusyCores: 0.7, StealCores: 0.1}, "0-1": nil, "0-63": nil, "7": nil,
	} {
		folder := fakeProc(t, before)
		write(t, folder, map[string]string{"42/status": "Name:\tx\nCpus_allowed_list:\t" + mask + "\n", "stat": stat("100 0 0 4500 0 0 0 20 0 0")})
		synctest.Test(t, func(t *testing.T) {
			s := newSampler(folder)
			time.Sleep(2 * time.Second)
			write(t, folder, map[string]string{"stat": stat("240 0 0 4540 0 0 0 40 0 0")})
			if got := s.Sample(func() {}).Machine.Confined; !reflect.DeepEqual(got, want) {
				t.Errorf("mask %q: %+v, want %+v", mask, got, want)
			}
		})
	}
}

// What ran between two looks of the kernel was not idle.
func TestWhatIsNotIdleIsBusy(t *testing.T) {
	for name, tt := range map[string]struct {
		idle int // hundredths of a second in two seconds of two CPUs
		want float64
	}{"as counted": {234, 0.8}, "more than counted": {154, 1.2}, "less": {390, 0.8}, "not shown": {0, 0.8}} {
		folder := fakeProc(t, before)
		synctest.Test(t, func(t *testing.T) {
			s := newSampler(folder)
			time.Sleep(2 * time.Second)
			write(t, folder, map[string]string{"stat": strings.Replace(after["stat"], "550 9234", fmt.Sprint("550 ", 9000+tt.idle), 1)})
			if got := s.Sample(func() {}).Machine.BusyCores; got != tt.want {
				t.Errorf("%s: %v cores, want %v", name, got, tt.want)
			}
		})
	}
}

// What a kernel does not show is left empty, and the rest is there.
func TestSampleWithoutAFile(t *testing.T) {
	for _, tt := range []struct {
		missing string
		empty   func(u results.Usage) bool
	}{
		{"stat", func(u results.Usage) bool { return u.Machine == nil && u.Process.RunWaitNS != nil }},
		{"schedstat", func(u results.Usage) bool { return u.Machine.RunWaitNS == nil && u.Machine.PressureCPUSomeNS != nil }},
		{"pressure", func(u results.Usage) bool { return u.Machine.PressureCPUSomeNS == nil && u.Machine.RunWaitNS != nil }},
		{"net", func(u results.Usage) bool {
			return u.Machine.NetworkSentBytes == nil && u.Machine.NetworkReceivedBytes == nil
		}},
		{"42/statm", func(u results.Usage) bool { return u.Process.ResidentBytes == nil && u.Process.RunWaitNS != nil }},
		{"42/task", func(u results.Usage) bool { return u.Process.RunWaitNS == nil && u.Process.ResidentBytes != nil }},
		{"42/task/44/schedstat", func(u results.Usage) bool { return u.Process.RunWaitNS != nil && *u.Process.RunWaitNS == 0 }},
		{"42/cgroup", func(u results.Usage) bool { return u.Machine.ThrottledNS == nil && u.Machine.RunWaitNS != nil }},
		{"42/mountinfo", func(u results.Usage) bool { return u.Machine.ThrottledNS == nil && u.Machine.RunWaitNS != nil }},
		{"self", func(u results.Usage) bool { return u.Machine == nil && u.Process.RunWaitNS == nil }},
		{".", func(u results.Usage) bool { return u.Machine == nil && u.Process.ResidentBytes == nil }},
	} {
		folder := fakeProc(t, before)
		if err := os.RemoveAll(filepath.Join(folder, "proc", tt.missing)); err != nil && tt.missing != "." {
			t.Fatal(err)
		}
		if tt.missing == "." {
			folder = filepath.Join(folder, "none")
		}
		if got := newSampler(folder).Sample(func() {}); !tt.empty(got) {
			t.Errorf("without %s: %+v %+v", tt.missing, got, got.Machine)
		}
	}
}

// What the kernel shows is not what anybody expects: no panic, nothing invented.
func TestSampleOfNonsense(t *testing.T) {
	for name := range before {
		for _, nonsense := range []string{"", "nonsense", "cpu\n", "some total=-1\n", strings.Repeat("9", 50), "1 2\n\nlo: 1 2\n"} {
			folder := fakeProc(t, before)
			write(t, folder, map[string]string{name: nonsense})
			s := newSampler(folder)
			if u := s.Sample(func() {}); u.Machine != nil && u.Machine.BusyCores != 0 {
				t.Errorf("%s is %q: %+v", name, nonsense, u.Machine)
			}
		}
	}
}

func TestSampleOfThisProcess(t *testing.T) {
	s := NewSampler()
	busy := time.Now()
	for time.Since(busy) < 50*time.Millisecond { // uses CPU, or waits for it
	}
	for range 3 {
		runtime.GC()
	}
	u := s.Sample(func() {})
	if u.Process.CPUCores <= 0 || u.Process.CPUCores > float64(runtime.NumCPU())+1 {
		t.Errorf("%v cores", u.Process.CPUCores)
	}
	if u.Go.GCCycles < 3 || u.Go.GCPauseMaxNS <= 0 || u.Go.GCPauseTotalNS < u.Go.GCPauseMaxNS || u.Go.HeapBytes <= 0 || u.Go.Goroutines <= 0 {
		t.Errorf("Go: %+v", u.Go)
	}
	if u.Go.SchedLatencyMaxNS < u.Go.SchedLatencyP99NS {
		t.Errorf("scheduler: %+v", u.Go)
	}
	if runtime.GOOS != "linux" {
		return
	}
	m := u.Machine
	if m == nil || m.CPUs < 1 || m.Runnable < 1 || m.NetworkSentBytes == nil || u.Process.ResidentBytes == nil {
		t.Errorf("machine: %+v", m)
	}
}

// The world is stopped by the collector alone, not by looking.
func TestSamplingDoesNotStopTheWorld(t *testing.T) {
	s := NewSampler()
	stops := func() (n uint64) {
		sample := []metrics.Sample{{Name: "/sched/pauses/total/other:seconds"}}
		metrics.Read(sample)
		for _, count := range sample[0].Value.Float64Histogram().Counts {
			n += count
		}
		return n
	}
	before := stops()
	for range 20 {
		s.Sample(func() {})
	}
	if got := stops() - before; got != 0 {
		t.Errorf("20 samples stop the world %d times", got)
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if stops() == before {
		t.Error("ReadMemStats stops the world, and this test does not see it")
	}
}

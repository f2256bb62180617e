package results_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/results"
)

func TestTotalUsage(t *testing.T) {
	// Three seconds as known, and one second that differs in every field.
	calm := known(time.Second, 4*time.Second)
	busy := results.Usage{
		FromNS: int64(4 * time.Second), ToNS: int64(5 * time.Second), HiccupMaxNS: 20_000_000,
		Process: results.ProcessUsage{
			CPUCores: 1.75, UserCores: 1, SystemCores: 0.75, ResidentBytes: new(int64(40 << 20)),
			VoluntarySwitches: new(int64(500)), InvoluntarySwitches: new(int64(70)), RunWaitNS: new(int64(1)),
		},
		Go: results.GoUsage{
			GCCycles: 3, GCPauseMaxNS: 1, GCPauseTotalNS: 3, SchedLatencyP99NS: 20_480, SchedLatencyMaxNS: 20_480,
			HeapBytes: 5 << 20, Goroutines: 11,
		},
		Machine: &results.MachineUsage{
			CPUs: 1, BusyCores: 0.5, StealCores: 0.06, IOWaitCores: 0.05, ContextSwitches: 10_000, Runnable: 4,
			RunWaitNS: new(int64(2)), PressureCPUSomeNS: new(int64(3)),
			NetworkReceivedBytes: new(int64(4)), NetworkSentBytes: new(int64(5)), ThrottledNS: new(int64(6)),
		},
	}
	want := results.Usage{
		FromNS: int64(time.Second), ToNS: int64(5 * time.Second), HiccupMaxNS: 20_000_000,
		Process: results.ProcessUsage{
			CPUCores: 1, UserCores: 0.625, SystemCores: 0.375, ResidentBytes: new(int64(50 << 20)),
			VoluntarySwitches: new(int64(1500)), InvoluntarySwitches: new(int64(77)), RunWaitNS: new(int64(12_000_001)),
		},
		Go: results.GoUsage{
			GCCycles: 5, GCPauseMaxNS: 40_960, GCPauseTotalNS: 90_115, SchedLatencyP99NS: 20_480, SchedLatencyMaxNS: 163_840,
			HeapBytes: 5 << 20, Goroutines: 12,
		},
		Machine: &results.MachineUsage{
			CPUs: 2, BusyCores: 1.25, StealCores: 0.03, IOWaitCores: 0.02, ContextSwitches: 40_000, Runnable: 4,
			RunWaitNS: new(int64(20_000_002)), PressureCPUSomeNS: new(int64(15_000_003)),
			NetworkReceivedBytes: new(int64(3_072_004)), NetworkSentBytes: new(int64(3_073_005)), ThrottledNS: new(int64(6)),
		},
	}
	if got := results.TotalUsage([]results.Usage{calm, busy}); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v %+v\nwant %+v %+v", got, got.Machine, want, want.Machine)
	}
}

// One interval's sum is the interval, and summing up changes nothing in it.
func TestTotalUsageOfOne(t *testing.T) {
	for name, interval := range map[string]func(from, to time.Duration) results.Usage{"known": known, "partly": partly, "unknown": unknown} {
		for _, to := range []time.Duration{0, time.Second} { // the last interval of a cell may have no length
			got := results.TotalUsage([]results.Usage{interval(0, to)})
			if want := interval(0, to); !reflect.DeepEqual(got, want) {
				t.Errorf("%s until %v: got %+v, want %+v", name, to, got, want)
			}
		}
	}
}

func TestUnknownInOneIntervalIsUnknownInTheWindow(t *testing.T) {
	a, b, c := known(0, 1), partly(1, 2), unknown(2, 3)
	for _, list := range [][]results.Usage{{a, c}, {c, a}, {a, c, a}} {
		got := results.TotalUsage(list)
		if got.Machine != nil || got.Process.RunWaitNS != nil || got.Process.ResidentBytes != nil {
			t.Errorf("%d intervals: %+v", len(list), got)
		}
	}
	for _, list := range [][]results.Usage{{a, b}, {b, a}, {a, b, a}} {
		m := results.TotalUsage(list).Machine
		if m == nil || m.RunWaitNS != nil || m.PressureCPUSomeNS != nil || m.ThrottledNS != nil || m.NetworkSentBytes == nil {
			t.Errorf("%d intervals: %+v", len(list), m)
		}
	}
	if got := results.TotalUsage(nil); !reflect.DeepEqual(got, results.Usage{}) {
		t.Errorf("no intervals: %+v", got)
	}
}

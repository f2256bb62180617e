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
	busy := usageOf(4*time.Second, 5*time.Second, [6]float64{1.75, 1, 0.75, 0.5, 0.06, 0.05}, [19]int64{
		20_000_000, 40 << 20, 500, 70, 1, 3, 1, 3, 20_480, 20_480, 5 << 20, 11,
		1, 10_000, 4, 2, 3, 4, 5,
	})
	*busy.Machine.ThrottledNS = 6
	want := usageOf(time.Second, 5*time.Second, [6]float64{1, 0.625, 0.375, 1.25, 0.03, 0.02}, [19]int64{
		20_000_000, 50 << 20, 1500, 77, 12_000_001, 5, 40_960, 90_115, 20_480, 163_840, 5 << 20, 12,
		2, 40_000, 4, 20_000_002, 15_000_003, 3_072_004, 3_073_005,
	})
	*want.Machine.ThrottledNS = 6
	if got := results.TotalUsage([]results.Usage{calm, busy}); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v %+v\nwant %+v %+v", got, got.Machine, want, want.Machine)
	}
}

// The CPUs that are ours are averaged as the machine's are.
func TestTotalUsageOfOurCPUs(t *testing.T) {
	a, b, free := known(0, 3*time.Second), known(3*time.Second, 4*time.Second), known(4*time.Second, 5*time.Second)
	a.Machine.Confined = &results.CPUUsage{CPUs: 1, BusyCores: 0.5, StealCores: 0}
	b.Machine.Confined = &results.CPUUsage{CPUs: 2, BusyCores: 1.5, StealCores: 0.04}
	want := results.CPUUsage{CPUs: 2, BusyCores: 0.75, StealCores: 0.01}
	if got := results.TotalUsage([]results.Usage{a, b}).Machine; !reflect.DeepEqual(got.Ours(), want) || *a.Machine.Confined != (results.CPUUsage{CPUs: 1, BusyCores: 0.5}) {
		t.Errorf("%+v, want %+v", got.Confined, want)
	}
	if got := results.TotalUsage([]results.Usage{a, free}).Machine; got.Confined != nil {
		t.Errorf("in part not confined: %+v", got.Confined)
	}
	for _, tt := range []struct {
		of   results.CPUUsage
		want float64
	}{
		{results.CPUUsage{CPUs: 64, BusyCores: 2, StealCores: 0.5}, 0.2},
		{results.CPUUsage{CPUs: 2, BusyCores: 2, StealCores: 0.5}, 0.2},
		{results.CPUUsage{CPUs: 2, BusyCores: 1}, 0},
		{results.CPUUsage{}, 0},
	} {
		if got := tt.of.Stolen(); got != tt.want {
			t.Errorf("%+v: %v stolen, want %v", tt.of, got, tt.want)
		}
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

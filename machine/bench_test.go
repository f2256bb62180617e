package machine

import (
	"runtime"
	"testing"
	"time"
)

// BenchmarkSample is one look, as it is taken once a second.
func BenchmarkSample(b *testing.B) {
	s := NewSampler()
	b.ReportAllocs()
	for b.Loop() {
		s.Sample()
	}
}

// BenchmarkHiccups meters in real time, an operation a millisecond: CPU-ns/op is
// what a wake-up costs this process.
func BenchmarkHiccups(b *testing.B) {
	runtime.LockOSThread() // for good: the waiter changes the thread
	m := &meter{start: time.Now(), due: hiccupPeriod, record: func(time.Duration) {}}
	m.waiter = hiccupWaiter(m.start)
	b.ReportAllocs()
	from := readProcess()
	for b.Loop() {
		m.step()
	}
	to := readProcess()
	b.ReportMetric(float64(to.user+to.system-from.user-from.system)/float64(b.N), "CPU-ns/op")
}

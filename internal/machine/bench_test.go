package machine

import (
	"testing"
	"time"
)

// BenchmarkSample is one look, as it is taken once a second.
func BenchmarkSample(b *testing.B) {
	s := NewSampler()
	b.ReportAllocs()
	for b.Loop() {
		s.Sample(func() {})
	}
}

// BenchmarkHiccups meters in real time, an operation a millisecond: CPU-ns/op is
// what a wake-up costs this process.
func BenchmarkHiccups(b *testing.B) {
	m := &meter{start: time.Now(), due: HiccupPeriod, alarm: newAlarm(), record: func(time.Duration) {}}
	defer m.alarm.close()
	b.ReportAllocs()
	from := readProcess()
	for b.Loop() {
		m.step()
	}
	to := readProcess()
	b.ReportMetric(float64(to.user+to.system-from.user-from.system)/float64(b.N), "CPU-ns/op")
}

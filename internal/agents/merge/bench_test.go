//go:build unix

package merge

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/record"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// BenchmarkMerge adds up what 100 agents measured in a minute: four tags a second, of 200
// messages each. It must take less than a second, since everybody waits for it.
func BenchmarkMerge(b *testing.B) {
	const agents, seconds, perSecond = 100, 60, 200
	cell := plan.Cell{
		Target: plan.Target{Name: "x"}, Shape: plan.Shape{Rate: agents * perSecond, Size: 64, Connections: agents},
		Settings: plan.Settings{Duration: seconds * time.Second, Warmup: 0, Timeout: time.Second},
	}
	parts := make([]Part, agents)
	for i := range parts {
		parts[i] = madeUp(b, i, seconds, perSecond)
	}
	b.ReportAllocs()
	before := cpuTime()
	for b.Loop() {
		if _, err := Cell(cell, time.Unix(1, 0), parts, Options{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(cpuTime()-before)/float64(b.N), "cpu-ns/op")
}

// madeUp is the part of an agent whose response times are exponential.
func madeUp(tb testing.TB, i, seconds, perSecond int) Part {
	tb.Helper()
	var text bytes.Buffer
	log := histogram.NewLogWriter(&text, time.Unix(1, 0))
	draw := rand.New(rand.NewPCG(uint64(i), 1))
	total := histogram.New()
	for second := range seconds {
		h := histogram.New()
		for range perSecond {
			v := time.Duration(200_000 + draw.ExpFloat64()*100_000)
			h.Record(v)
			total.Record(v)
		}
		for _, tag := range []string{"response", "service", "lag", "held"} {
			if err := log.Write(tag, time.Duration(second)*record.Period, time.Duration(second+1)*record.Period, h); err != nil {
				tb.Fatal(err)
			}
		}
	}
	d, n := results.NewDistribution(total, 0), int64(seconds*perSecond)
	c := &results.Cell{Ledger: results.Ledger{Due: n, Done: n}, Response: d, Service: d, Lag: d, Held: d, ElapsedNS: int64(seconds) * int64(time.Second)}
	return Part{
		Agent: results.Agent{Name: fmt.Sprintf("a%d", i), Index: i}, Cell: c, Last: time.Duration(seconds) * time.Second,
		Log: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text.Bytes())), nil },
	}
}

// cpuTime is real also in virtual time.
func cpuTime() time.Duration {
	var usage unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

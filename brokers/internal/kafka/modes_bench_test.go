package kafka

import (
	"context"
	"encoding/binary"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/twmb/franz-go/pkg/kgo"
)

// BenchmarkModes measures acknowledgement and delivery of 1 KiB in each mode, by the engine
// and by a loop by hand with the same client, by turns: -benchtime 10000x is 500 s at 20/s.
func BenchmarkModes(b *testing.B) {
	url := brokertest.URL(b, "KAFKA")
	for _, rate := range []int{20, 500, 2000} {
		for _, options := range []string{"acks=all&idempotent=true", exactly + "each", exactly + "10ms", exactly + "100ms", "consumer=share&acks=all&idempotent=true"} {
			b.Run(fmt.Sprintf("engine/%d/%s", rate, options), func(b *testing.B) { engine(b, open(b, url, options), rate) })
			b.Run(fmt.Sprintf("hand/%d/%s", rate, options), func(b *testing.B) { byHand(b, open(b, url, options), rate) })
		}
	}
}

// moments are how long after they were due messages were acknowledged, or delivered.
type moments struct {
	mu    sync.Mutex
	times []time.Duration
}

func (m *moments) add(d time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.times = append(m.times, d)
}

func (m *moments) report(b *testing.B, name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if n := len(m.times); n > 0 {
		slices.Sort(m.times)
		b.ReportMetric(m.times[n/2].Seconds()*1e3, name+"-p50-ms")
		b.ReportMetric(m.times[n*99/100].Seconds()*1e3, name+"-p99-ms")
	}
}

// A both records what the engine does.
type both struct{ acks, deliveries moments }

func (r *both) Record(op load.Op) {
	if !op.Warmup {
		r.deliveries.add(op.Response())
	}
}

func (r *both) RecordAck(a load.Ack) {
	if !a.Warmup {
		r.acks.add(a.Acked - a.Due)
	}
}

func engine(b *testing.B, f *Factory, rate int) {
	var r both
	spec := schedule.Spec{Rate: schedule.Rate(rate), Duration: time.Second + time.Duration(b.N)*time.Second/time.Duration(rate)}
	out, err := load.Run(b.Context(), f, load.Config{
		Schedule: spec, Warmup: time.Second, Size: 1 << 10, Connections: 1, Timeout: 5 * time.Second,
		NewWaiter: load.KernelWaiter(load.DefaultSpin(spec.Rate, 1, float64(runtime.NumCPU()))),
	}, &r, load.Hooks{})
	if err != nil {
		b.Fatal(err)
	}
	r.acks.report(b, "ack")
	r.deliveries.report(b, "delivery")
	b.Log(out.Window, f.Measured())
}

// A loop is what somebody would write by hand to measure one producer.
type loop struct {
	both
	client *kgo.Client
	topic  string
	start  time.Time
	due    chan []byte // payloads with the moment at which they were due
}

func byHand(b *testing.B, f *Factory, rate int) {
	c := newConn(f, 0, requester.Replies(func([]byte) {}))
	if err := c.Setup(b.Context()); err != nil { // the topic, a client with the same options, and a probe
		b.Fatal(err)
	}
	defer func() { _ = c.Teardown(context.Background()) }()
	c.stop() // from here on the client is the loop's
	c.served.Wait()
	l := &loop{client: c.client, topic: c.topic, start: time.Now(), due: make(chan []byte, b.N)}
	ctx, cancel := context.WithCancel(b.Context())
	var all sync.WaitGroup
	all.Go(func() { l.receive(ctx, b.N) })
	all.Go(func() { l.send(ctx, f.options.transactions) })
	for i := range b.N {
		at := l.start.Add(time.Duration(i) * time.Second / time.Duration(rate))
		time.Sleep(time.Until(at))
		payload := make([]byte, 1<<10)
		binary.LittleEndian.PutUint64(payload, uint64(at.Sub(l.start)))
		l.due <- payload
	}
	close(l.due)
	time.AfterFunc(5*time.Second, cancel)
	all.Wait()
	l.acks.report(b, "ack")
	l.deliveries.report(b, "delivery")
}

func (l *loop) since(payload []byte) time.Duration {
	return time.Since(l.start) - time.Duration(binary.LittleEndian.Uint64(payload))
}

func (l *loop) receive(ctx context.Context, n int) {
	for n > 0 && ctx.Err() == nil {
		l.client.PollFetches(ctx).EachRecord(func(r *kgo.Record) {
			if len(r.Value) == 1<<10 {
				l.deliveries.add(l.since(r.Value))
				n--
			}
		})
	}
}

// send produces what is due. With transactions it begins one with what is due, waits, takes
// what came meanwhile, and ends it.
func (l *loop) send(ctx context.Context, t transactions) {
	if !t.on {
		for payload := range l.due {
			l.produce(ctx, payload, func() { l.acks.add(l.since(payload)) })
		}
		return
	}
	for payload := range l.due {
		if ctx.Err() != nil || l.client.BeginTransaction() != nil {
			return
		}
		inside := [][]byte{payload}
		l.produce(ctx, payload, nil)
		for end := time.After(t.open); t.open > 0 && end != nil; {
			select {
			case <-end:
				end = nil
			case more, ok := <-l.due:
				if ok {
					inside = append(inside, more)
					l.produce(ctx, more, nil)
				} else {
					end = nil
				}
			}
		}
		_ = l.client.Flush(ctx)
		if l.client.EndTransaction(ctx, kgo.TryCommit) != nil {
			return
		}
		for _, payload := range inside {
			l.acks.add(l.since(payload))
		}
	}
}

func (l *loop) produce(ctx context.Context, payload []byte, acked func()) {
	l.client.Produce(ctx, &kgo.Record{Topic: l.topic, Value: payload}, func(_ *kgo.Record, err error) {
		if err == nil && acked != nil {
			acked()
		}
	})
}

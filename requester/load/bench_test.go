package load_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/loopback"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
)

// never is a waiter for measuring the engine itself: it does not wait.
type never struct{}

func (never) Until(time.Duration) {}

// An acker answers and acknowledges inside Request.
type acker struct {
	reply func([]byte)
	ack   func([]byte)
}

type ackers struct{}

func (ackers) New(_ int, sink requester.Sink) (requester.Requester, error) {
	return &acker{reply: sink.Reply, ack: sink.Acked}, nil
}

func (*acker) Traits() requester.Traits         { return requester.Traits{Acknowledges: true} }
func (a *acker) Setup(context.Context) error    { return nil }
func (a *acker) Teardown(context.Context) error { return nil }
func (a *acker) Request(_ context.Context, p []byte) error {
	a.reply(p)
	a.ack(p)
	return nil
}

func (discard) RecordAck(load.Ack) {}

// ackingWriters also tell that a message is on the socket when Request returns.
type ackingWriters struct{}

type ackingWriter struct{ *acker }

func (ackingWriters) New(_ int, sink requester.Sink) (requester.Requester, error) {
	return ackingWriter{&acker{reply: sink.Reply, ack: sink.Acked}}, nil
}

func (ackingWriter) Traits() requester.Traits {
	return requester.Traits{Acknowledges: true, WritesToSocket: true}
}

func (discard) RecordPublish(load.Publish) {}

// BenchmarkOp measures one op on a loopback: the schedule, the merge over the
// connections, the content of 256 B written and compared, the ring, the reply, and the
// acknowledgement where there is one.
func BenchmarkOp(b *testing.B) {
	plain := system(b, loopback.Config{})
	for name, c := range map[string]struct {
		connections int
		f           requester.Factory
	}{"1 connection": {1, plain}, "25 connections": {25, plain}, "25 connections with acks": {25, ackers{}}, "25 connections with acks, published": {25, ackingWriters{}}} {
		connections, f := c.connections, c.f
		b.Run(name, func(b *testing.B) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			cfg := load.Config{
				Schedule:    constant(1_000_000_000, time.Duration(b.N)),
				Size:        256,
				Connections: connections,
				NewWaiter:   func(time.Time) load.Waiter { return never{} },
			}
			hooks := load.Hooks{Started: func(start time.Time) { time.Sleep(time.Until(start)); b.ResetTimer() }}
			outcome, err := load.Run(b.Context(), f, cfg, discard{}, hooks)
			spent := b.Elapsed()
			runtime.ReadMemStats(&after)
			if err != nil || outcome.Window.Done != int64(b.N) {
				b.Fatalf("%+v, %v", outcome.Window, err)
			}
			b.ReportMetric(float64(after.Mallocs-before.Mallocs)/float64(b.N), "allocs/op")
			b.ReportMetric(float64(spent)/float64(b.N), "ns/op")
		})
	}
}

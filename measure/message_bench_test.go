package measure

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
)

// instant answers inside Request, and acknowledges if it is asked to.
type instant struct{ acks, publishes bool }

type instantConn struct {
	of    instant
	reply func([]byte)
	ack   func([]byte)
}

func (i instant) New(_ int, sink requester.Sink) (requester.Requester, error) {
	c := &instantConn{of: i, reply: sink.Reply}
	if i.acks {
		c.ack = sink.Acked
	}
	return c, nil
}

func (c *instantConn) Traits() requester.Traits {
	return requester.Traits{Acknowledges: c.of.acks, WritesToSocket: c.of.publishes}
}
func (c *instantConn) Setup(context.Context) error    { return nil }
func (c *instantConn) Teardown(context.Context) error { return nil }

func (c *instantConn) Request(_ context.Context, payload []byte) error {
	c.reply(payload)
	if c.ack != nil {
		c.ack(payload)
	}
	return nil
}

// BenchmarkMessage measures one message of a cell, engine and histograms, by what is recorded
// of it. Compare the rows with each other, on a machine that does nothing else.
func BenchmarkMessage(b *testing.B) {
	for _, row := range []struct {
		name   string
		of     instant
		causes Causes
	}{
		{"plain", instant{}, nil},
		{"published", instant{publishes: true}, nil},
		{"acks", instant{acks: true}, nil},
		{"acks, published", instant{acks: true, publishes: true}, nil},
		{"causes", instant{}, &standstills{}},
	} {
		b.Run(row.name, func(b *testing.B) {
			cell := cellOf(1_000_000_000, time.Duration(b.N))
			cell.Settings.Warmup, cell.Settings.Timeout, cell.Shape.Connections = 0, time.Hour, 25
			var before, after runtime.MemStats
			o := Options{Causes: row.causes, NewWaiter: func(time.Time) load.Waiter { return never{} }, Started: func(start time.Time) {
				time.Sleep(time.Until(start))
				runtime.ReadMemStats(&before)
				b.ResetTimer()
			}}
			c, err := Cell(b.Context(), row.of, cell, o)
			spent := b.Elapsed()
			runtime.ReadMemStats(&after)
			if err != nil {
				b.Fatal(err)
			}
			if c.Ledger.Done != int64(b.N) || (c.Published != nil) != row.of.publishes || (c.Ack != nil) != row.of.acks {
				b.Fatalf("%+v", c.Ledger)
			}
			b.ReportMetric(float64(after.Mallocs-before.Mallocs)/float64(b.N), "allocs/op")
			b.ReportMetric(float64(spent)/float64(b.N), "ns/op")
		})
	}
}

package load

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester"
)

func TestBuffersAreBounded(t *testing.T) {
	for _, tt := range []struct{ size, connections, want int }{
		{1 << 20, 10_000, 256}, {1 << 10, 10_000, 10_000}, {1 << 30, 3, 1},
	} {
		if b := newBuffers(tt.size, tt.connections); b.limit != tt.want {
			t.Errorf("%d B over %d connections: %d buffers, want %d", tt.size, tt.connections, b.limit, tt.want)
		}
	}
}

// gate blocks each Request until it is opened, and never answers.
type gate struct{ open, asked chan struct{} }

func (*gate) Traits() requester.Traits         { return requester.Traits{} }
func (g *gate) Setup(context.Context) error    { return nil }
func (g *gate) Teardown(context.Context) error { return nil }
func (g *gate) Request(context.Context, []byte) error {
	g.asked <- struct{}{}
	<-g.open
	return nil
}

// A connection that finds no buffer waits for one, and is served by a goroutine of
// its own: whoever gives the buffer back is not held up by its Request.
func TestAConnectionWaitsForABuffer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := Config{Schedule: schedule.Spec{Rate: 1000, Duration: time.Hour}, Size: 256, Connections: 2}
		r := newRun(t.Context(), cfg.withDefaults(), nothing{})
		r.buffers.limit = 1
		gates := []*gate{{make(chan struct{}), make(chan struct{}, 1)}, {make(chan struct{}), make(chan struct{}, 1)}}
		first, returned := &conn{run: r, limit: 1, dues: 1}, make(chan int, 2)
		second := &conn{run: r, limit: 1, dues: 1}
		for i, c := range []*conn{first, second} {
			c.sends, c.requester = r.cfg.Schedule.Cursor(r.parts[i]), gates[i]
			c.claim()
			go func() { r.sendQueued(c); returned <- i }()
			synctest.Wait()
		}
		<-gates[0].asked
		if i := <-returned; i != 1 || len(gates[1].asked) != 0 {
			t.Fatalf("connection %d was sent without a buffer", i)
		}
		close(gates[0].open)
		if i := <-returned; i != 0 {
			t.Fatalf("connection %d returned", i)
		}
		<-gates[1].asked
		close(gates[1].open)
		synctest.Wait()
		if len(r.buffers.free) != 1 || first.sending || second.sending || second.inFlight != 1 {
			t.Errorf("%d buffers came back; sending %v, %v", len(r.buffers.free), first.sending, second.sending)
		}
	})
}

package load

import (
	"context"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester"
)

// fans hands a message to each group inside Request.
type fans struct {
	echo
	members []*member
}

func (f *fans) Request(_ context.Context, p []byte) error {
	for _, m := range f.members {
		m.reply(p)
	}
	return nil
}

func (nothing) RecordDelivery(Delivery) {}

// fanOut gives a connection without a run around it three groups.
func fanOut(c *conn) {
	c.run.cfg.Topology = requester.Topology{Topics: 1, Groups: 3, Members: 1}
	c.run.deliveries, c.run.conns = nothing{}, []*conn{c}
	c.group()
	f := new(fans)
	for g := range 3 {
		f.members = append(f.members, &member{run: c.run, index: g, Member: requester.Member{Group: g}})
	}
	c.requester = f
}

func TestADeliveryDoesNotAllocate(t *testing.T) {
	c := withoutAllocations(t, fanOut)
	for g := range 3 {
		if got := c.copies.groups[g].Done; got != 1001 {
			t.Errorf("group %d has %d", g, got)
		}
	}
}

// BenchmarkFanOut measures one op that goes to three groups of one member.
func BenchmarkFanOut(b *testing.B) {
	c := connOf(Config{Schedule: schedule.Spec{Rate: 1_000_000, Duration: time.Hour}, Size: 256})
	fanOut(c)
	payload := make([]byte, 256)
	b.ReportAllocs()
	for b.Loop() {
		payload = c.run.body.Fill(payload, c.stamp(c.dues))
		c.arrive(0, 0, payload)
	}
}

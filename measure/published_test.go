package measure

import (
	"bytes"
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/results"
)

// A socketed system writes in Request, which takes 0.5 ms, and delivers 2 ms after that; with
// acks it acknowledges as well, after 1 ms.
type socketed struct {
	acks   bool
	refuse func(seq uint64) bool
}

type socket struct {
	of    socketed
	reply func([]byte)
}

type ackingSocket struct {
	*socket
	ack func([]byte)
}

func (s socketed) New(_ int, sink requester.Sink) (requester.Requester, error) {
	plain := &socket{s, sink.Reply}
	if s.acks {
		return &ackingSocket{socket: plain, ack: sink.Acked}, nil
	}
	return plain, nil
}

func (*socket) Traits() requester.Traits       { return requester.Traits{WritesToSocket: true} }
func (*socket) Setup(context.Context) error    { return nil }
func (*socket) Teardown(context.Context) error { return nil }

func (s *socket) Request(ctx context.Context, payload []byte) error {
	if stamp, _ := requester.ReadStamp(payload); s.of.refuse != nil && stamp.Seq != requester.ProbeSeq && s.of.refuse(stamp.Seq) {
		return context.DeadlineExceeded
	}
	payload = bytes.Clone(payload)
	time.Sleep(ms / 2)
	time.AfterFunc(2*ms, func() { s.reply(payload) })
	return ctx.Err()
}

func (*ackingSocket) Traits() requester.Traits {
	return requester.Traits{Acknowledges: true, WritesToSocket: true}
}

func (s *ackingSocket) Request(ctx context.Context, payload []byte) error {
	err := s.socket.Request(ctx, payload)
	payload = bytes.Clone(payload)
	time.AfterFunc(ms, func() { s.ack(payload) })
	return err
}

// measured measures 100/s for 2 s after a warm-up of 1 s, and keeps it in a folder.
func (s socketed) measured(t *testing.T) (c *results.Cell, folder *results.CellFolder) {
	t.Helper()
	cell := cellOf(100, 2*time.Second)
	folder = newFolder(t, newStore(t), "cell")
	synctest.Test(t, func(t *testing.T) {
		var err error
		if c, err = judged(t.Context(), s, cell, Options{NewWaiter: load.SleepWaiter, Folder: folder}); err != nil {
			t.Fatal(err)
		}
	})
	return c, folder
}

func TestPublishedIsASeries(t *testing.T) {
	for _, acks := range []bool{false, true} {
		c, folder := socketed{acks: acks}.measured(t)
		if c.Published == nil || c.Published.Count != 200 || c.Published.Missing != 0 {
			t.Fatalf("acks %v: published %+v", acks, c.Published)
		}
		wantNear(t, *c.Published, 50, ms/2)
		wantNear(t, c.Response, 50, 5*ms/2)
		if (c.Ack != nil) != acks || (c.Complete != nil) != acks || (c.AckLedger != nil) != acks {
			t.Errorf("acks %v: %+v, %+v", acks, c.Ack, c.AckLedger)
		}
		want := map[string]int64{"published": 200, "response": 200, "ack": 0, "complete": 0}
		if acks {
			wantNear(t, *c.Ack, 50, 3*ms/2)
			want["ack"], want["complete"] = 200, 200
		}
		wantLog(t, folder, want)
	}
}

// What was refused was never on the socket, and ranks above all that was.
func TestWhatWasNotPublishedIsMissing(t *testing.T) {
	c, _ := socketed{refuse: func(seq uint64) bool { return seq%4 == 3 }}.measured(t)
	if c.Published.Count != 150 || c.Published.Missing != 50 || c.Ledger.Failed != 50 {
		t.Errorf("published %+v, ledger %+v", c.Published, c.Ledger)
	}
	if row, _ := c.Published.At(99); row.ValueNS != nil {
		t.Errorf("p99 is %v", *row.ValueNS)
	}
}

// Of who does not tell there is nothing.
func TestNothingIsPublishedByWhoDoesNotTell(t *testing.T) {
	if c := audited(t, &keeper{}); c.Published != nil {
		t.Errorf("%+v", c.Published)
	}
}

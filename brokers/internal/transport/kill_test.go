package transport_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/transport"
	"github.com/brokerbench/brokerbench/requester"
)

// A cuttable is a link that is lost when it is cut.
type cuttable struct {
	lost   chan error
	cut    func()
	closed *int
}

func (*cuttable) Send([]byte) error                   { return nil }
func (*cuttable) Probe(context.Context, []byte) error { return nil }
func (c *cuttable) Lost() <-chan error                { return c.lost }
func (c *cuttable) Cut()                              { c.cut() }
func (c *cuttable) Close(error)                       { *c.closed++ }

// A connection that is killed uses no link that is being opened, and closes it.
func TestAKilledConnectionUsesNoOtherLink(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		opened, closed := 0, 0
		var events []string
		var c transport.Conn[*cuttable]
		sink := requester.Replies(func([]byte) {})
		sink.Event = func(text string) { events = append(events, text) }
		c.Init(sink, func(_ string, err error) error { return err }, time.Millisecond)
		c.OneWay = true
		c.Open = func(context.Context) (*cuttable, error) {
			if opened++; opened > 1 {
				time.Sleep(100 * time.Millisecond) // a client that does not look at ctx
			}
			lost := make(chan error, 1)
			return &cuttable{lost, sync.OnceFunc(func() { lost <- context.Canceled }), &closed}, nil
		}
		if err := c.Setup(t.Context()); err != nil {
			t.Fatal(err)
		}
		c.Cut()
		time.Sleep(50 * time.Millisecond)
		c.Kill()
		if opened != 2 || closed != 2 || !slices.Equal(events, []string{"disconnected: context canceled"}) {
			t.Errorf("%d links opened, %d closed, events %q", opened, closed, events)
		}
	})
}

package load_test

import (
	"context"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
)

// chatty sends a reply to nobody's request from the moment it is set up.
type chatty struct {
	reply func([]byte)
	stop  chan struct{}
	ended chan struct{}
}

func (c *chatty) New(_ int, sink requester.Sink) (requester.Requester, error) {
	c.reply, c.stop, c.ended = sink.Reply, make(chan struct{}), make(chan struct{})
	return c, nil
}

func (*chatty) Traits() requester.Traits { return requester.Traits{} }
func (c *chatty) Setup(context.Context) error {
	stray := make([]byte, requester.StampSize)
	go func() {
		defer close(c.ended)
		for {
			select {
			case <-c.stop:
				return
			default:
				c.reply(stray)
			}
		}
	}()
	return nil
}

func (c *chatty) Teardown(context.Context) error {
	close(c.stop)
	<-c.ended
	return nil
}

func (c *chatty) Request(_ context.Context, p []byte) error {
	c.reply(p)
	return nil
}

// A reply that comes before the schedule begins is a stray and no race: run with
// -race, which is what finds it.
func TestAReplyBeforeTheStart(t *testing.T) {
	cfg := load.Config{Schedule: constant(100, 50*time.Millisecond), Size: requester.StampSize}
	outcome, err := load.Run(t.Context(), &chatty{}, cfg, &keeper{}, load.Hooks{})
	if err != nil || outcome.Window.Done != 5 || outcome.Strays.Foreign == 0 {
		t.Errorf("%+v, %v", outcome, err)
	}
}

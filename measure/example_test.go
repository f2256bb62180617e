package measure_test

import (
	"context"
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester"
)

// channel is a "broker" of the reader's own: a Go channel.
type channel struct {
	reply    func([]byte)
	messages chan []byte
	ended    chan struct{}
}

func (c *channel) New(_ int, sink requester.Sink) (requester.Requester, error) {
	return &channel{reply: sink.Reply, messages: make(chan []byte, 1000), ended: make(chan struct{})}, nil
}

func (*channel) Traits() requester.Traits { return requester.Traits{} }
func (c *channel) Setup(context.Context) error {
	go func() {
		defer close(c.ended)
		for message := range c.messages {
			c.reply(message)
		}
	}()
	return nil
}

func (c *channel) Request(_ context.Context, payload []byte) error {
	c.messages <- append([]byte(nil), payload...)
	return nil
}

func (c *channel) Teardown(context.Context) error {
	close(c.messages)
	<-c.ended
	return nil
}

// Measure a Requester of your own.
func ExampleCell() {
	cell := plan.Cell{
		Target:   plan.Target{Name: "channel"},
		Shape:    plan.Shape{Rate: 2000, Size: 64, Connections: 2},
		Settings: plan.Settings{Warmup: 100 * time.Millisecond, Duration: 500 * time.Millisecond, Timeout: time.Second},
	}
	result, err := measure.Cell(context.Background(), &channel{}, cell, measure.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	p99, _ := result.Response.At(99)
	_, known := p99.Value()
	fmt.Printf("%d due, %d done; p99 is known: %v\n", result.Ledger.Due, result.Ledger.Done, known)
	// Output: 1000 due, 1000 done; p99 is known: true
}

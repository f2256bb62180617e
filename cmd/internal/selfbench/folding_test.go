//go:build linux

package main

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester"
)

// asked is a requester whose replies the test gives.
type asked struct{ replies []requester.Reply }

func (a *asked) New(_ int, reply requester.Reply) (requester.Requester, error) {
	a.replies = append(a.replies, reply)
	return nil, nil
}

func (a *asked) Describe(context.Context) (requester.Description, error) {
	return requester.Description{}, nil
}

// Two connections at 100/s: message n of all is due at n·10 ms. Replies take 3 ms in
// the first 25 ms of each second, and 1 ms in the rest.
func TestResponsesAreFoldedByWhenTheyWereDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner, engine := &asked{}, 0
		f := &folding{
			Factory: inner, recorder: histogram.NewRecorder(2, 2),
			cell: plan.Cell{Shape: plan.Shape{Rate: 100, Connections: 2}, Settings: plan.Settings{Warmup: time.Second}},
		}
		for conn := range 2 {
			if _, err := f.New(conn, func([]byte) { engine++ }); err != nil {
				t.Fatal(err)
			}
		}
		reply := func(n int, after time.Duration) {
			payload := make([]byte, requester.StampSize)
			requester.Stamp{Conn: uint32(n % 2), Seq: uint64(n / 2)}.Put(payload)
			time.Sleep(after)
			inner.replies[n%2](payload)
		}
		reply(0, 0) // before the start
		start := time.Now()
		f.begin(start)
		for n := range 300 {
			due := time.Duration(n) * 10 * time.Millisecond
			time.Sleep(time.Until(start.Add(due)))
			took := time.Millisecond
			if due%time.Second < earlyPart {
				took = 3 * time.Millisecond
			}
			reply(n, took)
		}
		early, rest := f.quantiles(50)
		if early != 3e6 || rest != 1e6 || engine != 301 {
			t.Errorf("early %v, rest %v, %d replies passed on; want 3 and 1 ms, 301", early, rest, engine)
		}
	})
}

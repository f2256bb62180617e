package management

import (
	"context"
	"fmt"

	"github.com/brokerbench/brokerbench/brokers/internal/leftover"
	"github.com/brokerbench/brokerbench/requester"
)

// A Sweep finds the queues or streams of earlier runs. The protocols cannot list them; the
// management API can.
type Sweep struct {
	Protocol string // such as "AMQP"
	Kind     string // "queue", which includes exchanges, or "stream"
	Expires  string // tells the user when leftovers expire; may be ""
	Names    leftover.Names
	// Connect calls do with a function that asks the broker for one of them by its name.
	Connect func(ctx context.Context, do func(leftover.Inspect) error) error
}

// Find returns the queues or streams that the query wants. Without the management API it asks
// by name for those that the run may have, and unseen says which those were: others may exist.
func (b *Broker) Find(ctx context.Context, q requester.LeftoverQuery, s Sweep) (things []requester.Leftover, unseen string, err error) {
	things, err = b.list(ctx, q, s.Kind)
	if err == nil || ctx.Err() != nil {
		return things, "", err
	}
	unseen = fmt.Sprintf("%s cannot list %ss, and the management API does not answer (%v): ", s.Protocol, s.Kind, err)
	const remedy = "name the API with --management"
	if q.Run == "" {
		return nil, unseen + remedy + ", or a run with --only" + s.Expires, s.Connect(ctx, func(leftover.Inspect) error { return nil })
	}
	var asked string
	err = s.Connect(ctx, func(inspect leftover.Inspect) (err error) {
		things, asked, err = leftover.Ask(q.Run, s.Kind, s.Names, inspect)
		return err
	})
	if err != nil {
		return nil, "", err
	}
	return things, unseen + fmt.Sprintf("asked only for the %ss of %s by name; to see everything, %s", s.Kind, asked, remedy), nil
}

// list asks the management API. An exchange goes with the queues of its run, and is not listed if there are
// any. Exchanges are asked for first: a run that begins creates a queue before an exchange, so that the queue
// is in the later list.
func (b *Broker) list(ctx context.Context, q requester.LeftoverQuery, kind string) (things []requester.Leftover, err error) {
	api, err := b.API(q.Management)
	if err != nil {
		return nil, err
	}
	var exchanges []object
	if kind == "queue" {
		if exchanges, err = api.exchanges(ctx); err != nil {
			return nil, err
		}
	}
	queues, err := api.queues(ctx)
	known := make(map[string]bool) // runs that have queues
	for _, o := range queues {
		known[leftover.Run(o.Name)] = true
		if (o.Type == "stream") == (kind == "stream") && leftover.Wants(q, o.Name) {
			things = append(things, requester.Leftover{Kind: kind, Name: o.Name, Used: o.used(), Busy: Consumed(o.Consumers)})
		}
	}
	for _, o := range exchanges {
		if !known[leftover.Run(o.Name)] && leftover.Wants(q, o.Name) {
			things = append(things, requester.Leftover{Kind: "exchange", Name: o.Name})
		}
	}
	return things, err
}

// Consumed returns why a queue with that many consumers is in use; "" if it is not.
func Consumed(consumers int) string {
	if consumers == 0 {
		return ""
	}
	return "it has consumers"
}

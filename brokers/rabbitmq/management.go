package rabbitmq

import (
	"cmp"
	"context"

	"github.com/brokerbench/brokerbench/brokers/internal/leftover"
	"github.com/brokerbench/brokerbench/brokers/internal/management"
)

// list asks the management API for queues and exchanges. An exchange that has a
// queue goes with it, and is not listed. Exchanges are asked for first: a run that
// begins makes its queue before its exchange, so that the queue of each exchange that
// is listed is in the later list. Streams are another target's.
func (f *Factory) list(ctx context.Context, q leftover.Query) (things []leftover.Thing, err error) {
	api, err := f.management(q.Management)
	if err != nil {
		return nil, err
	}
	exchanges, err := api.Exchanges(ctx)
	if err != nil {
		return nil, err
	}
	queues, err := api.Queues(ctx)
	if err != nil {
		return nil, err
	}
	known := make(map[string]bool)
	for _, m := range queues {
		if known[m.Name] = true; m.Type != "stream" && q.Wants(m.Name) {
			things = append(things, leftover.Thing{Kind: "queue", Name: m.Name, Used: m.Used(), Busy: consumed(m.Consumers)})
		}
	}
	for _, m := range exchanges {
		if !known[m.Name] && q.Wants(m.Name) {
			things = append(things, leftover.Thing{Kind: "exchange", Name: m.Name})
		}
	}
	return things, nil
}

// management returns the management API at base; "" is where the options say that it is, or
// where it usually is.
func (f *Factory) management(base string) (management.API, error) {
	user := f.user()
	config, err := f.options.tls.Config()
	return management.API{
		Base: cmp.Or(base, f.options.management), Addrs: f.target.Addrs("5672"), Encrypted: f.encrypted(),
		User: user.Username, Password: user.Password, Vhost: f.vhost(), TLS: config,
	}, err
}

package rabbitstream

import (
	"cmp"
	"context"

	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/rabbitmq/rabbitmq-stream-go-client/pkg/stream"
)

const clientModule = "github.com/rabbitmq/rabbitmq-stream-go-client"

// Describe implements [requester.Describer].
func (f *Factory) Describe(ctx context.Context) (requester.Description, error) {
	d := f.broker.Description("RabbitMQ", clientModule, stream.ClientVersion)
	peer, err := target.Reach(f.broker.Addrs(), 0, func(addr string) (map[string]string, error) { return f.peer(ctx, addr) })
	if err == nil {
		d.Product, d.Version = cmp.Or(peer["product"], d.Product), peer["version"]
		err = f.during(ctx, 0, func(*stream.Environment) error { return nil }) // checks the user and the vhost
	}
	if err != nil {
		return d, f.explain("connecting", target.Because(ctx, err))
	}
	d.Timers = f.broker.Timers(ctx)
	d.Durability, err = f.backing(ctx)
	return d, f.explain("asking for what backs durability", err)
}

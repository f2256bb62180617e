package rabbitstream

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/rabbitmq/rabbitmq-stream-go-client/pkg/stream"
)

const clientModule = "github.com/rabbitmq/rabbitmq-stream-go-client"

// Describe implements [requester.Describer].
func (f *Factory) Describe(ctx context.Context) (requester.Description, error) {
	d := requester.Description{Product: "RabbitMQ", Client: target.Client(clientModule, stream.ClientVersion), Settings: slices.Clone(f.settings)}
	var errs []error
	for _, addr := range f.addrs(0) {
		peer, err := f.peer(ctx, addr)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		d.Product, d.Version = cmp.Or(peer["product"], d.Product), peer["version"]
		err = f.during(ctx, 0, func(*stream.Environment) error { return nil }) // knows the user, and the vhost
		if err != nil {
			return d, f.explain("connecting", target.Because(ctx, err))
		}
		d.Durability, err = f.backing(ctx)
		return d, f.explain("asking for what backs durability", err)
	}
	return d, f.explain("connecting", target.Because(ctx, errors.Join(errs...)))
}

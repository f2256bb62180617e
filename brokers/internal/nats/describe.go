package nats

import (
	"context"
	"slices"

	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/nats-io/nats.go"
)

const clientModule = "github.com/nats-io/nats.go"

// Describe implements [requester.Describer].
func (f *Factory) Describe(ctx context.Context) (requester.Description, error) {
	d := requester.Description{Product: "NATS", Client: target.Client(clientModule, nats.Version), Settings: slices.Clone(f.settings)}
	w := newWire(f)
	defer w.close()
	defer context.AfterFunc(ctx, w.close)()
	client, err := f.connect(ctx, w, nats.NoReconnect())
	if err != nil {
		return d, err
	}
	defer client.Close()
	d.Version = client.ConnectedServerVersion()
	d.Durability, err = f.backing(ctx, client)
	return d, f.explain("asking for what backs durability", err)
}

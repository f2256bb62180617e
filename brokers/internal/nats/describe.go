package nats

import (
	"context"

	"github.com/brokerbench/brokerbench/requester"
	"github.com/nats-io/nats.go"
)

const clientModule = "github.com/nats-io/nats.go"

// Describe implements [requester.Describer].
func (f *Factory) Describe(ctx context.Context) (requester.Description, error) {
	d := f.Description("NATS", clientModule, nats.Version)
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
	return d, f.Explain("asking for what backs durability", err)
}

package nats

import (
	"context"
	"runtime/debug"
	"slices"

	"github.com/brokerbench/brokerbench/requester"
	"github.com/nats-io/nats.go"
)

const clientModule = "github.com/nats-io/nats.go"

// Describe implements [requester.Describer].
func (f *Factory) Describe(ctx context.Context) (requester.Description, error) {
	d := requester.Description{Product: "NATS", Client: clientVersion(), Settings: slices.Clone(f.settings)}
	w := newWire(&f.options)
	defer w.close()
	defer context.AfterFunc(ctx, w.close)()
	client, err := f.connect(ctx, w, nats.NoReconnect())
	if err != nil {
		return d, err
	}
	defer client.Close()
	d.Version = client.ConnectedServerVersion()
	return d, nil
}

// clientVersion returns module@version of the client as it was built in; a test
// binary does not know it.
func clientVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, dep := range info.Deps {
			if dep.Path == clientModule {
				return dep.Path + "@" + dep.Version
			}
		}
	}
	return clientModule + "@v" + nats.Version
}

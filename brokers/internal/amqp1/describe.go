package amqp1

import (
	"context"
	"slices"

	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
)

// Describe implements [requester.Describer]: product and version are those in the broker's
// open frame.
func (f *Factory) Describe(ctx context.Context) (requester.Description, error) {
	d := requester.Description{Client: target.Client("github.com/Azure/go-amqp", ""), Settings: slices.Clone(f.settings)}
	c, err := f.dial(ctx, 0, "brokerbench describes the broker")
	if err != nil {
		return d, f.explain("connecting", err)
	}
	defer c.close()
	d.Product, _ = c.Properties()["product"].(string)
	d.Version, _ = c.Properties()["version"].(string)
	d.Durability, err = f.Backing(ctx)
	return d, f.explain("asking for what backs durability", err)
}

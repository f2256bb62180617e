package amqp1

import (
	"context"

	"github.com/brokerbench/brokerbench/requester"
)

// Describe implements [requester.Describer]: product and version are those in the broker's
// open frame.
func (f *Factory) Describe(ctx context.Context) (requester.Description, error) {
	d := f.broker.Description("", "github.com/Azure/go-amqp", "")
	c, err := f.dial(ctx, 0, "brokerbench describes the broker")
	if err != nil {
		return d, f.explain("connecting", err)
	}
	defer c.close()
	d.Product, d.Version = c.product()
	if f.options.address != "" {
		d.Durability, err = f.options.back()
		return d, f.explain("reading what backs durability", err)
	}
	d.Settings = append(d.Settings, f.AuditSetting())
	d.Timers = f.Timers(ctx)
	d.Durability, err = f.Backing(ctx)
	return d, f.explain("asking for what backs durability", err)
}

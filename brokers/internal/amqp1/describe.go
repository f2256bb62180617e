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
	d.Product, _ = c.Properties()["product"].(string)
	d.Version, _ = c.Properties()["version"].(string)
	d.Settings = append(d.Settings, f.AuditSetting())
	d.Timers = f.Timers(ctx)
	d.Durability, err = f.Backing(ctx)
	return d, f.explain("asking for what backs durability", err)
}

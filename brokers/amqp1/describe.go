package amqp1

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
)

const clientModule = "github.com/Azure/go-amqp"

// Describe implements [requester.Describer]: product and version are those of the broker's
// open frame.
func (f *Factory) Describe(ctx context.Context) (requester.Description, error) {
	d := requester.Description{Client: target.Client(clientModule, ""), Settings: slices.Clone(f.settings)}
	c, err := f.dial(ctx, 0, "brokerbench describes the broker")
	if err != nil {
		return d, f.explain("connecting", err)
	}
	defer c.close()
	d.Product, _ = c.Properties()["product"].(string)
	d.Version, _ = c.Properties()["version"].(string)
	d.Durability, err = f.queues.Backing(ctx)
	return d, f.explain("asking for what backs durability", err)
}

// tooOld tells whether a broker of that version is a RabbitMQ that keeps AMQP 1.0 in a plugin,
// with other addresses and without a management node.
func tooOld(version string) bool {
	major, _, _ := strings.Cut(version, ".")
	n, err := strconv.Atoi(major)
	return err == nil && n < 4
}

package kafka

import (
	"context"

	"github.com/brokerbench/brokerbench/brokers/internal/kafka/cluster"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/twmb/franz-go/pkg/kadm"
)

const clientModule = "github.com/twmb/franz-go"

// Describe implements [requester.Describer]. Kafka's protocol contains neither product nor
// version: see product. The version of Kafka is guessed from the requests that each broker
// supports.
func (f *Factory) Describe(ctx context.Context) (requester.Description, error) {
	d := f.Description("", clientModule, "")
	err := f.admin(ctx, func(ctx context.Context, admin *kadm.Client) error {
		versions, err := admin.ApiVersions(ctx)
		if err == nil {
			d.Product, err = cluster.Product(ctx, admin, versions)
		}
		if d.Version = cluster.Version(versions); d.Version != "" && d.Product != cluster.ApacheKafka {
			d.Version = "as Kafka " + d.Version // which is not its own
		}
		if err == nil {
			err = cluster.Offers(versions, f.options.groupProtocol())
		}
		if err == nil {
			d.Durability, err = f.backing(ctx, admin, &d)
			f.backed.Store(d.Durability)
		}
		return f.explain("asking what the brokers are", err)
	})
	return d, err
}

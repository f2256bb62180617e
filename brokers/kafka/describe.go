package kafka

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/twmb/franz-go/pkg/kadm"
)

const clientModule = "github.com/twmb/franz-go"

// Describe implements [requester.Describer]. Kafka's protocol contains neither product nor
// version: see product. The version of Kafka is guessed from the requests that each broker
// supports.
func (f *Factory) Describe(ctx context.Context) (requester.Description, error) {
	d := requester.Description{Client: target.Client(clientModule, ""), Settings: slices.Clone(f.settings)}
	err := f.admin(ctx, func(ctx context.Context, admin *kadm.Client) error {
		versions, err := admin.ApiVersions(ctx)
		if err == nil {
			d.Product, err = product(ctx, admin, versions)
		}
		if d.Version = version(versions); d.Version != "" && d.Product != apacheKafka {
			d.Version = "as Kafka " + d.Version // which is not its own
		}
		if err == nil && f.options.shares() {
			err = offersShares(versions)
		}
		if err == nil {
			d.Durability, err = f.backing(ctx, admin)
			f.backed.Store(d.Durability)
		}
		return f.explain("asking what the brokers are", err)
	})
	return d, err
}

// version returns the guessed versions of the brokers, each once.
func version(brokers kadm.BrokersApiVersions) string {
	var answers []string
	for _, broker := range brokers.Sorted() {
		if broker.Err != nil {
			continue
		}
		answer := strings.TrimPrefix(broker.VersionGuess(), "v") + " (guessed from ApiVersions" + metadataVersion(broker) + ")"
		if !slices.Contains(answers, answer) {
			answers = append(answers, answer)
		}
	}
	return strings.Join(answers, ", ")
}

// metadataVersion returns the level that the cluster has finalized. It is no guess,
// but only says that the brokers are at least that new.
func metadataVersion(broker kadm.BrokerApiVersions) string {
	for _, feature := range broker.Raw().FinalizedFeatures {
		if feature.Name == "metadata.version" {
			return fmt.Sprintf("; metadata.version %d", feature.MaxVersionLevel)
		}
	}
	return ""
}

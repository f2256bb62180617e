package kafka

import (
	"cmp"
	"context"
	"regexp"
	"strings"

	"github.com/twmb/franz-go/pkg/kadm"
)

// The products that can be told apart.
const (
	apacheKafka = "Kafka"
	otherKafka  = "speaks Kafka's protocol"
)

// products are those whose clusters have IDs that begin with a word of their own.
var products = []struct{ prefix, name string }{
	{"redpanda.", "Redpanda"},
	{"lkc-", "Confluent Cloud"},
}

// kafkaID is an ID as Kafka makes it for a cluster: 16 bytes in base64.
var kafkaID = regexp.MustCompile("^[A-Za-z0-9_-]{22}$")

// product returns what the brokers are. The protocol has no name for that: the ID of the
// cluster tells some, and only Kafka has a metadata.version, which its controllers agree on. Who
// builds on Kafka's own code, or calls itself what Kafka does, cannot be told from it.
func product(ctx context.Context, admin *kadm.Client, brokers kadm.BrokersApiVersions) (string, error) {
	cluster, err := admin.BrokerMetadata(ctx)
	if err != nil {
		return "", err
	}
	for _, p := range products {
		if strings.HasPrefix(cluster.Cluster, p.prefix) {
			return p.name, nil
		}
	}
	agreed := ""
	for _, broker := range brokers.Sorted() {
		if broker.Err == nil {
			agreed = cmp.Or(agreed, metadataVersion(broker))
		}
	}
	if agreed != "" || kafkaID.MatchString(cluster.Cluster) {
		return apacheKafka, nil
	}
	return otherKafka, nil
}

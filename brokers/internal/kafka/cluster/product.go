package cluster

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kadm"
)

// Version returns the guessed versions of the brokers, each once.
func Version(brokers kadm.BrokersApiVersions) string {
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

// The products that can be told apart.
const (
	ApacheKafka = "Kafka"
	otherKafka  = "speaks Kafka's protocol"
)

// products are those whose clusters' IDs begin with a distinctive prefix.
var products = []struct{ prefix, name string }{
	{"redpanda.", "Redpanda"},
	{"lkc-", "Confluent Cloud"},
}

// kafkaID is an ID as Kafka makes it for a cluster: 16 bytes in base64.
var kafkaID = regexp.MustCompile("^[A-Za-z0-9_-]{22}$")

// Product returns the product of the brokers. The protocol does not name it: the ID of the
// cluster reveals some, and only Kafka has a metadata.version, which its controllers agree on. A
// product that is built on Kafka's code, or has IDs like Kafka's, looks like Kafka.
func Product(ctx context.Context, admin *kadm.Client, brokers kadm.BrokersApiVersions) (string, error) {
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
		return ApacheKafka, nil
	}
	return otherKafka, nil
}

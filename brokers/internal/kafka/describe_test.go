package kafka

import (
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/kafka/cluster"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kversion"
)

// Who speaks Kafka's protocol is not Kafka for that, and its version is not Kafka's.
func TestFakeProducts(t *testing.T) {
	old := kfake.MaxVersions(kversion.V2_8_0()) // which has no metadata.version
	for name, tt := range map[string]struct {
		opts    []kfake.Opt
		product string
	}{
		"Kafka":                  {nil, "Kafka"},
		"Kafka, an ID by hand":   {[]kfake.Opt{kfake.ClusterID("ours")}, "Kafka"},
		"Kafka of old":           {[]kfake.Opt{old, kfake.ClusterID("M8XbVDmITl6ZTs4WNdt8eg")}, "Kafka"},
		"Redpanda":               {[]kfake.Opt{old, kfake.ClusterID("redpanda.2d339cd9-b540-484d-80da-16cd0650e49b")}, "Redpanda"},
		"Confluent Cloud":        {[]kfake.Opt{kfake.ClusterID("lkc-00000")}, "Confluent Cloud"},
		"unknown, an ID":         {[]kfake.Opt{old, kfake.ClusterID("ours")}, "speaks Kafka's protocol"},
		"unknown, without an ID": {[]kfake.Opt{old, kfake.ClusterID("")}, "speaks Kafka's protocol"},
	} {
		t.Run(name, func(t *testing.T) {
			url, _ := fake(t, tt.opts...)
			d, err := open(t, url, "").Describe(t.Context())
			if err != nil || d.Product != tt.product || strings.HasPrefix(d.Version, "as Kafka ") != (tt.product != cluster.ApacheKafka) || !strings.Contains(d.Version, "guessed") {
				t.Errorf("%s %s, %v, want %s", d.Product, d.Version, err, tt.product)
			}
		})
	}
}

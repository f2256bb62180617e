package kafka

import (
	"context"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Open returns the factory for the target at rawURL.
func Open(rawURL, run string) (*Factory, error) { return brokertest.Open(name, rawURL, run, New) }

// running returns a factory for the running broker.
func running(t testing.TB, options string) *Factory {
	t.Helper()
	return open(t, brokertest.URL(t, "KAFKA"), options)
}

// open returns a factory for the target, with the options added to its URL.
func open(t testing.TB, url, options string) *Factory {
	t.Helper()
	return brokertest.Opened(t, Open, url, options)
}

// topics returns the topics of f's run that the cluster knows.
func topics(t testing.TB, f *Factory) (names []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), brokertest.Patience)
	defer cancel()
	err := f.admin(ctx, func(ctx context.Context, admin *kadm.Client) error {
		all, err := admin.ListTopics(ctx)
		for _, name := range all.Names() {
			if strings.HasPrefix(name, "brokerbench."+f.Run+".") {
				names = append(names, name)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// fake starts a fake cluster and returns its URL.
func fake(t testing.TB, opts ...kfake.Opt) (url string, cluster *kfake.Cluster) {
	t.Helper()
	cluster, err := kfake.NewCluster(append([]kfake.Opt{kfake.NumBrokers(1)}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	return "kafka://" + strings.Join(cluster.ListenAddrs(), ","), cluster
}

// refuseProduce lets the cluster answer every produce request that the user is
// not allowed to write.
func refuseProduce(cluster *kfake.Cluster) {
	cluster.ControlKey(int16(kmsg.Produce), func(request kmsg.Request) (kmsg.Response, error, bool) {
		cluster.KeepControl()
		produce := request.(*kmsg.ProduceRequest)
		response := produce.ResponseKind().(*kmsg.ProduceResponse)
		for _, topic := range produce.Topics {
			refused := kmsg.NewProduceResponseTopic()
			refused.Topic, refused.TopicID = topic.Topic, topic.TopicID
			for _, p := range topic.Partitions {
				partition := kmsg.NewProduceResponseTopicPartition()
				partition.Partition, partition.ErrorCode = p.Partition, kerr.TopicAuthorizationFailed.Code
				refused.Partitions = append(refused.Partitions, partition)
			}
			response.Topics = append(response.Topics, refused)
		}
		return response, nil, true
	})
}

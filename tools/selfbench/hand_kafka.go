//go:build linux

package main

import (
	"context"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// kafkaByHand is franz-go with the defaults of brokers/kafka: no linger, acks=1, no
// compression, up to five requests in flight, a fetch that is answered as soon as there is
// a byte, and a topic of one partition that is consumed directly.
func kafkaByHand(ctx context.Context, url string, received, acked func()) (link, error) {
	return kafkaWith(ctx, url, received, acked,
		kgo.RequiredAcks(kgo.LeaderAck()), kgo.DisableIdempotentWrite(), kgo.MaxProduceRequestsInflightPerBroker(5))
}

// idempotentByHand is the same with acks=all and idempotent=true.
func idempotentByHand(ctx context.Context, url string, received, acked func()) (link, error) {
	return kafkaWith(ctx, url, received, acked, kgo.RequiredAcks(kgo.AllISRAcks()))
}

func kafkaWith(ctx context.Context, url string, received, acked func(), acks ...kgo.Opt) (link, error) {
	topic := unique()
	client, err := kgo.NewClient(append(acks,
		kgo.SeedBrokers(kafkaHosts(url)...),
		kgo.ProducerLinger(0), kgo.ProducerBatchCompression(kgo.NoCompression()),
		kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.UnknownTopicRetries(20),
		kgo.FetchMinBytes(1), kgo.FetchMaxWait(500*time.Millisecond), kgo.DisableClientMetrics(),
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{topic: {0: kgo.NewOffset().At(0)}}),
	)...)
	if err != nil {
		return link{}, err
	}
	admin := kadm.NewClient(client)
	if _, err := admin.CreateTopic(ctx, 1, 1, nil, topic); err != nil {
		return link{close: client.Close}, err
	}
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		for ctx.Err() == nil {
			client.PollFetches(ctx).EachRecord(func(*kgo.Record) { received() })
		}
	}()
	produced := func(_ *kgo.Record, err error) {
		if err == nil {
			acked()
		}
	}
	return link{
		publish: func(payload []byte) error {
			client.Produce(ctx, &kgo.Record{Topic: topic, Value: payload}, produced)
			return nil
		},
		close: func() {
			_, _ = admin.DeleteTopic(context.WithoutCancel(ctx), topic)
			cancel()
			client.Close()
		},
	}, nil
}

func kafkaHosts(url string) []string {
	_, hosts, _ := strings.Cut(withoutOptions(url), "://")
	return strings.Split(hosts, ",")
}

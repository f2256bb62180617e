package kafka

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/brokers/internal/kafka/cluster"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/requestertest"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
)

var acknowledging = []string{"acks=1", "acks=all&partitions=3", "acks=all&idempotent=true&compression=lz4", "acks=all&min-insync-replicas=1&flush-messages=1"}

func TestAcknowledgingConforms(t *testing.T) {
	brokertest.Kinds(t, acknowledging, running)
}

func TestFakeConformance(t *testing.T) {
	url, _ := fake(t)
	brokertest.WantAcknowledges(t, open(t, url, ""), true)
	brokertest.KeepsOrder(t, open(t, url, ""))
	requestertest.Run(t, open(t, url, ""))
}

// franz-go calls a message produced once it is written, but nobody has said so.
func TestFakeAcksZeroAcknowledgesNothing(t *testing.T) {
	url, _ := fake(t)
	f := open(t, url, "acks=0")
	brokertest.WantAcknowledges(t, f, false)
	requestertest.Run(t, f)
	if err := f.Audit(t.Context(), nil); !errors.Is(err, requester.ErrKeepsNothing) {
		t.Errorf("audit: %v", err)
	}
}

// What is refused has failed, and was not acknowledged.
func TestFakeRefusalIsNoAcknowledgement(t *testing.T) {
	url, cluster := fake(t)
	l := requestertest.NewLink(t, open(t, url, ""), 0)
	acked := make(chan struct{}, 10)
	l.Acked = func([]byte) { acked <- struct{}{} }
	if err := l.Begin(); err != nil {
		t.Fatal(err)
	}
	refuseProduce(cluster)
	l.Send(t, requestertest.Payload(0, 1, 16))
	l.WantFailure(t, "must be allowed")
	if len(acked) > 0 {
		t.Error("a message that failed was acknowledged")
	}
}

func TestAuditReadsAll(t *testing.T) {
	for _, options := range acknowledging {
		requestertest.AuditReadsAll(t, open(t, brokertest.URL(t, "KAFKA"), options), 5000, 1000, 2)
	}
}

func TestFakeAuditReadsAll(t *testing.T) {
	url, _ := fake(t, kfake.NumBrokers(3))
	requestertest.AuditReadsAll(t, open(t, url, "partitions=3"), 1000, 100, 2)
}

// What is gone from the beginning of the topic is missing.
func TestAuditMissesWhatIsGone(t *testing.T) {
	f := open(t, brokertest.URL(t, "KAFKA"), "")
	requestertest.Store(t, f, 0, 100, 100)
	err := f.admin(t.Context(), func(ctx context.Context, admin *kadm.Client) error {
		offsets := make(kadm.Offsets)
		offsets.AddOffset(f.topic(0), 0, 11, -1) // the probe and ten messages
		_, err := admin.DeleteRecords(ctx, offsets)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	brokertest.AuditMisses(t, f, 100, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9)
}

func TestFakeAuditExplains(t *testing.T) {
	url, _ := fake(t)
	f := open(t, url, "")
	if err := f.Audit(t.Context(), nil); !errors.Is(err, errNotSetUp) {
		t.Errorf("before Setup: %v", err)
	}
	requestertest.Store(t, f, 0, 10, 100)
	err := f.admin(t.Context(), func(ctx context.Context, admin *kadm.Client) error {
		return cluster.DeleteTopics(ctx, admin, f.topic(0))
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Audit(t.Context(), nil); !errors.Is(err, requester.ErrStoreGone) {
		t.Errorf("without its topic: %v", err)
	}
	requestertest.Store(t, f, 1, 10, 100)
	if found := requestertest.Audited(t, f); len(found) != 10 {
		t.Errorf("%d messages of the topic that is there, want 10", len(found))
	}
}

func TestFakeAuditEndsWithItsContext(t *testing.T) {
	url, _ := fake(t)
	f := open(t, url, "")
	requestertest.Store(t, f, 0, 10, 100)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := f.Audit(ctx, func([]byte) {}); err == nil {
		t.Error("no error")
	}
}

func TestTopicHasItsSettings(t *testing.T) {
	f := open(t, brokertest.URL(t, "KAFKA"), "acks=all&min-insync-replicas=1&flush-messages=3")
	requestertest.Connect(t, f, 0)
	got := map[string]string{}
	err := f.admin(t.Context(), func(ctx context.Context, admin *kadm.Client) error {
		configs, err := admin.DescribeTopicConfigs(ctx, f.topic(0))
		for _, config := range configs {
			for _, entry := range config.Configs {
				got[entry.Key] = fmt.Sprintf("%s from %v", entry.MaybeValue(), entry.Source)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{"flush.messages": "3", "min.insync.replicas": "1"} {
		if got[key] != want+" from DYNAMIC_TOPIC_CONFIG" {
			t.Errorf("%s = %s", key, got[key])
		}
	}
}

func BenchmarkAudit(b *testing.B) {
	f := open(b, brokertest.URL(b, "KAFKA"), "")
	const messages = 90_000
	requestertest.Store(b, f, 0, messages, 1<<10)
	for b.Loop() {
		n := 0
		if err := f.Audit(b.Context(), func([]byte) { n++ }); err != nil || n != messages {
			b.Fatalf("%d messages, %v", n, err)
		}
	}
	b.ReportMetric(messages*float64(b.N)/b.Elapsed().Seconds(), "messages/s")
}

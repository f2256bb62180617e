//go:build linux

package faults

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
)

// kafkaRows are faults of Kafka.
func kafkaRows() []row {
	each := func(do func(context.Context, *kadm.Client, ...string) error) func(*attempt) {
		return func(a *attempt) {
			for _, prefix := range a.prefixes() {
				topics := a.broker.topics(prefix)
				if len(topics) != connections {
					a.fall("%d topics", len(topics))
				}
				a.broker.kafka(func(ctx context.Context, admin *kadm.Client) error { return do(ctx, admin, topics...) })
			}
		}
	}
	alter := func(name, value string) func(*attempt) {
		return each(func(ctx context.Context, admin *kadm.Client, topics ...string) error {
			altered, err := admin.AlterTopicConfigs(ctx, []kadm.AlterConfig{{Op: kadm.SetConfig, Name: name, Value: &value}}, topics...)
			for _, topic := range altered {
				err = errors.Join(err, topic.Err)
			}
			return err
		})
	}
	return []row{
		{fault: "topics deleted", exit: []int{3, 4}, during: each(func(ctx context.Context, admin *kadm.Client, topics ...string) error {
			_, err := admin.DeleteTopics(ctx, topics...)
			return err
		})},
		{fault: "max.message.bytes lowered", during: alter("max.message.bytes", "100"), exit: []int{4}},
		// Kafka asks for no more copies in sync than there are: nothing is lost.
		{fault: "min.insync.replicas raised", before: func(a *attempt) { a.url = with(a.broker.plain, "acks", "all").String() }, during: alter("min.insync.replicas", "2")},
		// Kafka deletes them when it looks next, every few minutes: perhaps before the audit, which then misses them.
		{fault: "records deleted while they are read", during: alter("retention.ms", "1"), exit: []int{0, 3, 4}},
		{fault: "more copies than brokers", before: func(a *attempt) { a.url = with(a.broker.plain, "replication-factor", "3").String() }, exit: []int{1}, unmade: true, says: []string{"replication"}, late: 30 * time.Second},
		{fault: "disk full", before: smallDisk, during: fillKafka, exit: []int{4}, spoils: true},
		{fault: "messages above the largest", args: []string{"--size", "8MiB", "--rate", "5"}, exit: []int{1, 2}, unmade: true, says: []string{"max-message-bytes"}, late: 30 * time.Second},
	}
}

// smallDisk starts another Kafka in place of the lane's, whose logs are on a disk of
// 48 MB. That needs root.
func smallDisk(a *attempt) {
	b := a.broker
	b.end()
	b.state = filepath.Join(b.t.TempDir(), "state")
	logs := b.file("logs")
	err := errors.Join(os.MkdirAll(logs, 0o700), os.WriteFile(filepath.Join(b.state, "made-by-brokerbench"), nil, 0o600))
	if err != nil {
		a.t.Fatal(err)
	}
	if err := syscall.Mount("none", logs, "tmpfs", 0, "size=48m"); err != nil {
		b.state = ""
		a.t.Skipf("mounting a small disk, as root: %v", err)
	}
	b.start(a.t)
	a.url = b.url()
}

func fillKafka(a *attempt) {
	_ = os.WriteFile(a.broker.file("logs/fill"), make([]byte, 64<<20), 0o600) // until it is full
}

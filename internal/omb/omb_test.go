package omb_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/internal/leaf/golden"
	"github.com/brokerbench/brokerbench/internal/omb"
)

// workload returns a workload with changes: keys with values, or without one to leave a key out.
func workload(changes ...string) omb.File {
	keys := []string{
		"name: my load", "topics: 1", "partitionsPerTopic: 16", "messageSize: 1024", `payloadFile: "payload/payload-1Kb.data"`, "subscriptionsPerTopic: 1",
		"consumerPerSubscription: 1", "producersPerTopic: 1", "producerRate: 50000", "consumerBacklogSizeGB: 0", "testDurationMinutes: 15",
	}
	for _, change := range changes {
		name, value, _ := strings.Cut(change, ": ")
		for i, key := range keys {
			if strings.HasPrefix(key, name+":") {
				keys[i], change = change, ""
			}
			if keys[i] != "" && value == "" && strings.HasPrefix(keys[i], name) {
				keys[i] = ""
			}
		}
		keys = append(keys, change)
	}
	return omb.File{Name: "w.yaml", Text: []byte(strings.Join(keys, "\n"))}
}

// kafka returns a driver of Kafka with more lines in the block of producers.
func kafka(producer ...string) omb.File {
	const text = `name: Kafka
driverClass: io.openmessaging.benchmark.driver.kafka.KafkaBenchmarkDriver

# Kafka client-specific configuration
replicationFactor: 3
reset: true

topicConfig: |
  min.insync.replicas=2

commonConfig: |
  bootstrap.servers=a:9092, b:9092

consumerConfig: |
  auto.offset.reset=earliest
  enable.auto.commit=false

producerConfig: |
  linger.ms=1
  batch.size=131072
`
	lines := append([]string{"acks=all"}, producer...)
	if len(producer) > 0 && strings.HasPrefix(producer[0], "acks") {
		lines = producer
	}
	return omb.File{Name: "d.yaml", Text: []byte(text + "  " + strings.Join(lines, "\n  ") + "\n")}
}

// driver returns a driver of another product.
func driver(class string, lines ...string) omb.File {
	text := fmt.Sprintf("name: x\ndriverClass: io.openmessaging.benchmark.driver.%s\n%s\n", class, strings.Join(lines, "\n"))
	return omb.File{Name: "d.yaml", Text: []byte(text)}
}

func TestImport(t *testing.T) {
	random := []string{"payloadFile", "useRandomizedPayloads: true", "randomBytesRatio: 0.5", "randomizedPayloadPoolSize: 1000"}
	const rabbit = "rabbitmq.RabbitMqBenchmarkDriver"
	var all strings.Builder
	for _, tt := range []struct {
		name     string
		workload omb.File
		driver   omb.File
		ignored  []string
	}{
		{"kafka", workload(), kafka(), nil},
		{
			"kafka, more", workload(append(random, "topics: 10", "subscriptionsPerTopic: 3", "consumerPerSubscription: 2", "producersPerTopic: 4", "keyDistributor: RANDOM_NANO")...),
			kafka("compression.type=lz4", "enable.idempotence=true", "retries=2147483647", "buffer.memory=1"),
			[]string{"buffer.memory"},
		},
		{"kafka, acks=1", workload("consumerBacklogSizeGB: 2", "backlogDrainRatio: 1.0", "warmupDurationMinutes: 0"), kafka("acks=1", "max.in.flight.requests.per.connection=1"), nil},
		{"nats", workload("topics: 2", "testDurationMinutes: ${long:-80}"), driver("nats.NatsBenchmarkDriver", "natsHostUrl: nats://h:4222"), nil},
		{"jetstream", workload("partitionsPerTopic: 1"), driver("nats.NatsBenchmarkDriver", "natsHostUrl: h:4222", "replicationFactor: 3"), nil},
		{"redis", workload(), driver("redis.RedisBenchmarkDriver", "redisHost: h", "redisPort: 6380", "redisUser: me", "redisPass: secret", "jedisPoolMaxTotal: 20", "jedisPoolMaxIdle: 8"), nil},
		{"rabbitmq", workload("partitionsPerTopic: 1"), driver(rabbit, "amqpUris:", "  - amqp://me:secret@h", "messagePersistence: true", "queueType: QUORUM", "producerCreationDelay: 100"), nil},
		{"rabbitmq, a queue for each connection", workload("partitionsPerTopic: 1", "topics: 10"), driver(rabbit, "amqpUris: [amqp://h]"), nil},
		{"nsq", workload(), driver("nsq.NsqBenchmarkDriver", "nsqdHost: h", "lookupHost: h"), nil},
	} {
		text, err := omb.Import(tt.workload, tt.driver, tt.ignored)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		if strings.Contains(text, "secret") {
			t.Errorf("%s: a password in %s", tt.name, text)
		}
		fmt.Fprintf(&all, "=== %s\n%s", tt.name, text)
	}
	golden.Check(t, "plans.txt", all.String())
}

func TestImportRefuses(t *testing.T) {
	type refusal struct {
		line int
		key  string
	}
	for _, tt := range []struct {
		name             string
		workload, driver omb.File
		want             []refusal
	}{
		{"the highest rate", workload("producerRate: 0"), kafka(), []refusal{{9, "producerRate"}}},
		{"an unknown key", workload("acceptableBacklog: 1"), kafka(), []refusal{{12, "acceptableBacklog"}}},
		{"round robin", workload("keyDistributor: KEY_ROUND_ROBIN"), kafka(), []refusal{{12, "keyDistributor"}}},
		{"no number", workload("testDurationMinutes: ${long}"), kafka(), []refusal{{11, "testDurationMinutes"}}},
		{"nothing random", workload("useRandomizedPayloads: true", "randomBytesRatio: 0"), kafka(), []refusal{{13, "randomBytesRatio"}}},
		{"a backlog of all", workload("subscriptionsPerTopic: 2", "consumerBacklogSizeGB: 1"), kafka(), []refusal{{10, "consumerBacklogSizeGB"}}},
		{"a partial drain", workload("consumerBacklogSizeGB: 1", "backlogDrainRatio: 0.5"), kafka(), []refusal{{13, "backlogDrainRatio"}}},
		{
			"lines of properties", workload(), kafka("send.buffer.bytes=1", "", "# a comment", "acks=all", "retries=3"),
			[]refusal{{22, "producerConfig.send.buffer.bytes"}, {26, "producerConfig.retries"}},
		},
		{
			"idempotence with one request", workload(), kafka("enable.idempotence=true", "max.in.flight.requests.per.connection=1"),
			[]refusal{{23, "producerConfig.max.in.flight.requests.per.connection"}},
		},
		{"a batch for no message", workload("messageSize: 1048576"), kafka(), []refusal{{20, "producerConfig.batch.size"}}},
		{"no acks", workload(), omb.File{Name: "d.yaml", Text: []byte(strings.Replace(string(kafka().Text), "acks=all", "", 1))}, []refusal{{0, "producerConfig.acks"}}},
		{"TLS", workload(), omb.File{Name: "d.yaml", Text: []byte(string(kafka().Text) + "commonConfig: |\n  security.protocol=SSL\n")}, []refusal{{23, "commonConfig.security.protocol"}}},
		{"another product", workload(), driver("pulsar.PulsarBenchmarkDriver", "client:", "  serviceUrl: pulsar://h"), []refusal{{2, "driverClass"}}},
		{"NATS Streaming", workload(), driver("natsStreaming.NatsStreamingBenchmarkDriver", "clusterId: x"), []refusal{{2, "driverClass"}}},
		{"groups of JetStream", workload("consumerPerSubscription: 2"), driver("nats.NatsBenchmarkDriver", "replicationFactor: 1"), []refusal{{3, "replicationFactor"}}},
		{"partitions of RabbitMQ", workload(), driver("rabbitmq.RabbitMqBenchmarkDriver", "amqpUris: [amqp://h]"), []refusal{{0, ""}}},
		{"two files of the wrong kind", kafka(), workload(), nil},
		{"no mapping", omb.File{Name: "w.yaml", Text: []byte("- a\n")}, kafka(), []refusal{{1, ""}}},
		{"no YAML", omb.File{Name: "w.yaml", Text: []byte("a: [\n")}, kafka(), []refusal{{0, ""}}},
		{"nothing", omb.File{Name: "w.yaml"}, kafka(), []refusal{{1, ""}}},
	} {
		_, err := omb.Import(tt.workload, tt.driver, nil)
		if err == nil {
			t.Errorf("%s: no error", tt.name)
			continue
		}
		for _, want := range tt.want {
			if m := find(err, want.line, want.key); m == nil || m.Reason == "" {
				t.Errorf("%s: no mistake about %q in line %d: %v", tt.name, want.key, want.line, err)
			}
		}
		if n := strings.Count(err.Error(), "\n") + 1; tt.want != nil && n != len(tt.want) {
			t.Errorf("%s: %d mistakes, want %d: %v", tt.name, n, len(tt.want), err)
		}
	}
}

// find returns the mistake about a key in a line.
func find(err error, line int, key string) (found *omb.Mistake) {
	var m *omb.Mistake
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, one := range joined.Unwrap() {
			if found = find(one, line, key); found != nil {
				return found
			}
		}
	} else if errors.As(err, &m) && m.Line == line && m.Key == key {
		return m
	}
	return nil
}

func TestIgnoredSettingsMustBeThere(t *testing.T) {
	if _, err := omb.Import(workload(), kafka(), []string{"retreis"}); err == nil || !strings.Contains(err.Error(), "--ignore retreis") {
		t.Errorf("error %v", err)
	}
}

// Whatever the files hold, there is a plan or an error.
func FuzzImport(f *testing.F) {
	f.Add(workload().Text, kafka().Text)
	f.Add(workload().Text, driver("rabbitmq.RabbitMqBenchmarkDriver", "amqpUris:", "  - amqp://me:secret@h").Text)
	f.Add([]byte("a: &a [*a]\n"), []byte("driverClass: x.RedisBenchmarkDriver\nproducerConfig: >\n  x\n"))
	f.Fuzz(func(t *testing.T, w, d []byte) {
		text, err := omb.Import(omb.File{Name: "w", Text: w}, omb.File{Name: "d", Text: d}, nil)
		if (text == "") != (err != nil) {
			t.Errorf("%q, %v", text, err)
		}
	})
}

package cli

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/internal/leaf/golden"
)

// ombWorkloads returns the settings of example workloads of the OpenMessaging Benchmark, by their names.
func ombWorkloads() map[string]string {
	const file, random = "payloadFile: payload.data", "useRandomizedPayloads: true\nrandomBytesRatio: 0.5\nrandomizedPayloadPoolSize: 1000"
	all := make(map[string]string)
	for _, w := range []struct {
		name                                           string
		topics, partitions, size, groups, consumers, p int
		rate, backlog, minutes                         int
		more                                           string
	}{
		{"1-topic-1-partition-100b", 1, 1, 100, 1, 1, 1, 50000, 0, 15, file},
		{"1-topic-1-partition-1kb", 1, 1, 1024, 1, 1, 1, 50000, 0, 15, file + "\nkeyDistributor: NO_KEY"},
		{"1-topic-1-partition-1kb-with-key", 1, 1, 1024, 1, 1, 1, 50, 0, 15, file + "\nkeyDistributor: KEY_ROUND_ROBIN"},
		{"1-topic-6-partition-100b", 1, 6, 100, 1, 1, 1, 50000, 0, 15, file},
		{"1-topic-16-partitions-1kb", 1, 16, 1024, 1, 1, 1, 50000, 0, 15, file},
		{"1-topic-3-partition-100b-3producers", 1, 3, 100, 1, 0, 3, 0, 0, 15, file},
		{"simple-workload", 1, 10, 1024, 1, 1, 1, 10000, 0, 5, file},
		{"1-topic-100-partitions-1kb-4p-4c-200k-backlog", 1, 100, 1024, 1, 4, 4, 200000, 512, 5, random},
		{"1-topic-100-partitions-1kb-4p-4c-500k", 1, 100, 1024, 1, 4, 4, 500000, 0, 5, random},
		{"1-topic-100-partitions-1kb-4p-4c-1000k", 1, 100, 1024, 1, 4, 4, 1000000, 0, 5, random},
		{"1-topic-100-partitions-1kb-4p-4c-2000k", 1, 100, 1024, 1, 4, 4, 2000000, 0, 5, random},
		{"1-topic-10000-partitions-1kb-4p-4c-200k", 1, 10000, 1024, 1, 4, 4, 200000, 0, 5, random},
		{"1-topic-10000-partitions-1kb-4p-4c-1000k", 1, 10000, 1024, 1, 4, 4, 1000000, 0, 5, random},
		{"250k-1-topic-100-partitions-100p-100c-1k", 1, 100, 1024, 1, 100, 100, 250000, 0, 10, random},
		{"10-topic-16-partition-1kb", 10, 16, 1024, 1, 1, 1, 500000, 0, 5, file + "\n" + random},
		{"200k-10-topics-3-partitions-1k", 10, 3, 1024, 1, 1, 1, 200000, 0, 15, random},
		{"1m-10-topics-1-partition-100b", 10, 1, 100, 1, 1, 1, 1000000, 0, 15, random},
		{"1m-10-topics-16-partitions-100b", 10, 16, 100, 1, 1, 1, 1000000, 0, 15, random},
		{"1m-10-topics-3-partitions-100b-64gb-backlog", 10, 3, 100, 1, 1, 1, 1000000, 64, 15, random + "\nacceptableBacklog: 50000\nproducerPauseDuringDrain: 1"},
		{"100-topics-1-partitions-1kb", 100, 1, 1024, 3, 1, 1, 150000, 0, 80, file},
		{"100-topic-4-partitions-1kb-4p-4c-500k", 100, 4, 1024, 1, 4, 4, 500000, 0, 5, random},
		{"1k-topic-1kb-4p-4c-100k", 1000, 1, 1024, 1, 4, 4, 100000, 0, 5, random},
		{"max-rate-1-topic-1-partition-1p-1c-1kb", 1, 1, 1024, 1, 1, 1, 10000000, 0, 5, random},
		{"max-rate-10-topics-1-partition-1kb", 10, 1, 1024, 1, 1, 1, 10000000, 0, 15, random},
		{"max-rate-1-topic-100-partitions-100p-100c-1kb", 1, 100, 1024, 1, 100, 100, 10000000, 0, 15, random},
	} {
		text := fmt.Sprintf("topics: %d\npartitionsPerTopic: %d\nmessageSize: %d\nsubscriptionsPerTopic: %d\nproducersPerTopic: %d\n", w.topics, w.partitions, w.size, w.groups, w.p)
		if w.consumers > 0 {
			text += fmt.Sprintf("consumerPerSubscription: %d\n", w.consumers)
		}
		all[w.name] = text + fmt.Sprintf("producerRate: %d\nconsumerBacklogSizeGB: %d\ntestDurationMinutes: %d\n%s\n", w.rate, w.backlog, w.minutes, w.more)
	}
	return all
}

// ombDrivers returns the settings of the benchmark's drivers of five products, by their names.
func ombDrivers() map[string]string {
	const class, fetch = "driverClass: io.openmessaging.benchmark.driver.", "max.partition.fetch.bytes=10485760"
	all := map[string]string{
		"nats":     class + "nats.NatsBenchmarkDriver\nnatsHostUrl: localhost:4222\nreplicationFactor: 1\n",
		"rabbitmq": class + "rabbitmq.RabbitMqBenchmarkDriver\namqpUris: [amqp://localhost]\nmessagePersistence: false\n",
		"redis":    class + "redis.RedisBenchmarkDriver\nredisPort: 6379\nredisHost: 127.0.0.1\njedisPoolMaxTotal: 8\njedisPoolMaxIdle: 8\n",
		"nsq":      class + "nsq.NsqBenchmarkDriver\nnsqdHost: localhost\nlookupHost: localhost\n",
	}
	kafka := func(name, common, topic, producer, consumer string) {
		all["kafka-"+name] = class + "kafka.KafkaBenchmarkDriver\nreplicationFactor: 3\n" +
			block("commonConfig", "bootstrap.servers=localhost:9092", common) + block("topicConfig", topic) +
			block("producerConfig", "acks=all", producer) + block("consumerConfig", "auto.offset.reset=earliest enable.auto.commit=false", consumer)
	}
	const copies, small, large = "min.insync.replicas=2", "batch.size=131072", "batch.size=1048576"
	for _, codec := range []string{"gzip", "lz4", "snappy", "zstd"} {
		kafka("big-batches-"+codec, "", copies, "linger.ms=200 "+large+" compression.type="+codec, fetch)
		kafka("compression-"+codec, "", copies, "linger.ms=1 "+large+" compression.type="+codec, fetch)
	}
	kafka("exactly-once", "", "", "linger.ms=1 "+small+" enable.idempotence=true max.in.flight.requests.per.connection=1 retries=2147483647", "")
	kafka("latency", "", copies, "linger.ms=1 "+small, fetch)
	kafka("no-linger", "", copies, "linger.ms=0 "+large, fetch)
	kafka("sync", "", copies+" flush.messages=1 flush.ms=0", "linger.ms=1 "+small, "")
	kafka("throughput", "default.api.timeout.ms=600000", copies, "linger.ms=1 "+large, fetch)
	return all
}

// block returns a block of Java properties.
func block(name string, settings ...string) string {
	lines := strings.Fields(strings.Join(settings, " "))
	if len(lines) == 0 {
		return ""
	}
	return name + ": |\n  " + strings.Join(lines, "\n  ") + "\n"
}

// ombMistake is a line about a file, or about the plan that two make; ombIgnore is its remedy.
var (
	ombMistake = regexp.MustCompile(`(?m)^(?:brokerbench: )?(?:\S*(?:[wd]\.yaml|stdin)(?::\d+)*: )?(?:kafka: target \S+: )?([^\s|][^|\n]*[^:\n|])$`)
	ombIgnore  = regexp.MustCompile(`--ignore ([\w.]+)\)`)
	ombNumbers = regexp.MustCompile(`\d+`)
)

// How many pairs of a workload and a driver become plans, and why the others do not.
func TestConfigImportOfExamples(t *testing.T) {
	t.Parallel()
	workloads, drivers := ombWorkloads(), ombDrivers()
	reasons, imported, ignoring := make(map[string]int), make(map[string]int), 0
	for _, driver := range slices.Sorted(maps.Keys(drivers)) {
		for _, workload := range slices.Sorted(maps.Keys(workloads)) {
			names := ombFiles(t, workloads[workload], drivers[driver])
			args := []string{"config", "import", "omb", names[0], names[1]}
			code, _, stderr := invoke(args...)
			if code == command.ExitGood {
				imported[driver]++
				continue
			}
			wantCode(t, code, command.ExitUsage, stderr)
			for _, found := range ombIgnore.FindAllStringSubmatch(stderr, -1) {
				args = append(args, "--ignore", found[1])
			}
			if len(args) > 5 {
				if code, _, stderr = invoke(args...); code == command.ExitGood {
					ignoring++
				}
			}
			for _, found := range ombMistake.FindAllStringSubmatch(stderr, -1) {
				reasons[ombNumbers.ReplaceAllString(found[1], "N")]++
			}
		}
	}
	var text strings.Builder
	sum := 0
	for _, driver := range slices.Sorted(maps.Keys(drivers)) {
		sum += imported[driver]
		fmt.Fprintf(&text, "%-20s %2d of %d\n", driver, imported[driver], len(workloads))
	}
	fmt.Fprintf(&text, "\n%d of %d pairs are imported, %d more with --ignore. Reasons with --ignore, and their pairs:\n", sum, len(workloads)*len(drivers), ignoring)
	for _, reason := range slices.Sorted(maps.Keys(reasons)) {
		fmt.Fprintf(&text, "%4d %s\n", reasons[reason], reason)
	}
	golden.Check(t, "omb-pairs.txt", text.String())
}

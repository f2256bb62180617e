package kafka

import (
	"context"
	"fmt"
	"math"
	"net"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/kafka/cluster"
	"github.com/brokerbench/brokerbench/brokers/internal/kafka/dress"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"
)

const (
	dialTimeout = 5 * time.Second
	leaveLimit  = 4 * time.Second        // for a broker to answer at the end
	closeLimit  = time.Second            // for a client to sign off
	maxBackoff  = 250 * time.Millisecond // between attempts to reach a broker that is away
	maxIdle     = 15 * time.Minute       // franz-go's longest: a quiet run should not pay for a new connection
)

// commonOpts returns the options of every client of the target.
func (f *Factory) commonOpts() ([]kgo.Opt, error) {
	opts := []kgo.Opt{
		kgo.SeedBrokers(f.Target.Addrs(defaultPort)...),
		kgo.ClientID("brokerbench"),
		kgo.DialTimeout(dialTimeout),
		kgo.ConnIdleTimeout(maxIdle),
		kgo.RetryBackoffFn(backoff),
		kgo.MetadataMinAge(100 * time.Millisecond),
		kgo.MetadataMaxAge(5 * time.Minute),
		kgo.DisableClientMetrics(),
	}
	if mechanism := f.options.mechanism(f.Target); mechanism != nil {
		opts = append(opts, kgo.SASL(mechanism))
	}
	if len(f.Target.Via) > 0 {
		opts = append(opts, kgo.Dialer(f.dialer(f.Target.At)))
	}
	if f.Target.Scheme != schemeTLS || len(f.Target.Via) > 0 {
		return opts, nil
	}
	config, err := f.options.tls.Config()
	return append(opts, kgo.DialTLSConfig(config)), err
}

// dialer returns a dialer of the address that at returns for a broker's, also for the brokers
// that others name, which does TLS with the broker that was meant.
func (f *Factory) dialer(at func(addr string) string) func(ctx context.Context, network, addr string) (net.Conn, error) {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		ctx, cancel := context.WithTimeout(ctx, dialTimeout)
		defer cancel()
		socket, err := new(net.Dialer).DialContext(ctx, network, at(addr))
		if err != nil || f.Target.Scheme != schemeTLS {
			return socket, err
		}
		secured, err := f.options.tls.Client(ctx, socket, addr)
		if err != nil {
			_ = socket.Close()
			return nil, err
		}
		return secured, nil
	}
}

// mechanism returns the mechanism that authenticates the target's user, or nil.
func (o *options) mechanism(t target.Target) sasl.Mechanism {
	switch o.sasl {
	case "plain":
		return plain.Auth{User: t.User, Pass: t.Password}.AsMechanism()
	case "scram-sha-256":
		return scram.Auth{User: t.User, Pass: t.Password}.AsSha256Mechanism()
	case "scram-sha-512":
		return scram.Auth{User: t.User, Pass: t.Password}.AsSha512Mechanism()
	}
	return nil
}

// backoff doubles from 50 ms, so that a broker that comes back is soon found.
func backoff(tries int) time.Duration {
	return min(maxBackoff, 50*time.Millisecond<<min(max(tries-1, 0), 3))
}

// adminOpts are for requests before and after a run: they fail soon, with the cause.
func (f *Factory) adminOpts() []kgo.Opt {
	return append(f.common[:len(f.common):len(f.common)], kgo.RetryTimeout(cluster.Limit), kgo.RequestTimeoutOverhead(cluster.Limit/3))
}

// measuredOpts are for the client that is measured, over topic. They set everything
// that matters to latency, even to franz-go's default.
func (f *Factory) measuredOpts(topic string) []kgo.Opt {
	return append(f.producerOpts(topic), f.options.consuming(topic)...)
}

// producerOpts are for a client that only produces, with the ID of its transactions.
func (f *Factory) producerOpts(id string) []kgo.Opt {
	opts := append(f.trusting(), f.options.producing()...)
	if f.dress.Keyed() {
		opts = append(opts, kgo.RecordPartitioner(dress.Partitioner()))
	}
	return append(opts, f.options.transactional(id)...)
}

// trusting are for clients that are measured: TLS and password are right, for the topic was created with
// them.
func (f *Factory) trusting() []kgo.Opt {
	return append(f.common[:len(f.common):len(f.common)], kgo.AlwaysRetryEOF())
}

// producing returns the options for sending.
func (o *options) producing() []kgo.Opt {
	codecs := map[string]kgo.CompressionCodec{
		"none": kgo.NoCompression(), "gzip": kgo.GzipCompression(), "snappy": kgo.SnappyCompression(),
		"lz4": kgo.Lz4Compression(), "zstd": kgo.ZstdCompression(),
	}
	opts := []kgo.Opt{
		kgo.ProducerLinger(o.linger),
		kgo.ProducerBatchCompression(codecs[o.compression]),
		kgo.ProducerBatchMaxBytes(int32(o.maxMessage)),
		kgo.RecordPartitioner(kgo.ManualPartitioner()),
		// Produce never blocks: Request bounds the bytes that wait.
		kgo.MaxBufferedRecords(math.MaxInt32),
		// The run's timeout decides the cost of an outage, not the client's.
		kgo.RecordRetries(math.MaxInt32),
		kgo.RecordDeliveryTimeout(0),
		kgo.UnknownTopicRetries(20),
		kgo.ProduceRequestTimeout(10 * time.Second),
	}
	if o.idempotent {
		return append(opts, kgo.RequiredAcks(kgo.AllISRAcks()))
	}
	acks := map[string]kgo.Acks{"0": kgo.NoAck(), "1": kgo.LeaderAck(), "all": kgo.AllISRAcks()}[o.acks]
	return append(opts, kgo.RequiredAcks(acks), kgo.DisableIdempotentWrite(), kgo.MaxProduceRequestsInflightPerBroker(o.inFlight))
}

// fetches returns the options of fetches.
func (o *options) fetches() []kgo.Opt {
	return []kgo.Opt{
		kgo.FetchMaxWait(o.fetchWait),
		kgo.FetchMinBytes(int32(o.fetchMin)),
		kgo.FetchMaxBytes(50 << 20),
		kgo.FetchMaxPartitionBytes(int32(max(o.maxMessage, o.fetchMost))),
	}
}

// consuming returns the options for receiving.
func (o *options) consuming(topic string) []kgo.Opt {
	opts := o.fetches()
	if o.shares() { // the next poll accepts the messages of the last one, without an additional request
		return append(opts, kgo.ConsumeTopics(topic), kgo.ShareGroup(topic))
	}
	return append(opts, o.fetching(topic)...)
}

// fetching returns the options for receiving every partition of topic from its beginning: no
// other connection writes to it.
func (o *options) fetching(topic string) []kgo.Opt {
	offsets := make(map[int32]kgo.Offset, o.partitions)
	for p := range o.partitions {
		offsets[int32(p)] = kgo.NewOffset().At(0)
	}
	return []kgo.Opt{
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{topic: offsets}),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
		kgo.FetchIsolationLevel(isolation(o.isolation == readCommitted)),
	}
}

// admin is asking for functions that need only kadm.
func (f *Factory) admin(ctx context.Context, do func(context.Context, *kadm.Client) error) error {
	return f.asking(ctx, cluster.Limit, func(ctx context.Context, client *kgo.Client) error { return do(ctx, cluster.Admin(client)) })
}

// asking calls do with a new client that has the hooks and has reached a broker within the
// limit. The client ends with ctx: otherwise franz-go would wait for a broker that does not
// answer.
func (f *Factory) asking(ctx context.Context, limit time.Duration, do func(context.Context, *kgo.Client) error, hooks ...kgo.Hook) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	client, err := kgo.NewClient(append(f.adminOpts(), kgo.WithContext(ctx), kgo.WithHooks(append(hooks, exhausted(cancel))...))...)
	if err != nil {
		return fmt.Errorf("kafka: making a client: %w", err)
	}
	defer client.Close()
	late := time.AfterFunc(limit, func() { cancel(context.DeadlineExceeded) }) // Ping heeds only its client's context
	// Ping, unlike all other requests, does not retry: its error is the cause.
	err = client.Ping(ctx)
	late.Stop()
	if err != nil {
		return f.explain("connecting", target.Because(ctx, err))
	}
	f.presence.Answered()
	return do(ctx, client)
}

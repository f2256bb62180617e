package redis

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/brokerbench/brokerbench/brokers/internal/redis/info"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/redis/go-redis/v9"
)

const clientModule = "github.com/redis/go-redis/v9"

// Describe implements [requester.Describer]. A fork of Redis is described by its
// own name and version, not by those of the Redis that it is compatible with.
func (f *Factory) Describe(ctx context.Context) (requester.Description, error) {
	d := f.Description("Redis", clientModule, redis.Version())
	var limits []target.Limit // of all masters of a cluster
	servers := 0
	err := f.each(ctx, "asking for INFO", func(client *redis.Client) error {
		text, err := client.Info(ctx, "server").Result()
		if err != nil {
			return err
		}
		d.Version = info.Field(text, "redis_version")
		for product, name := range map[string]string{"Valkey": "valkey_version", "Dragonfly": "dragonfly_version"} {
			if version := info.Field(text, name); version != "" {
				d.Product, d.Version = product, version
			}
		}
		var server []requester.Setting
		if f.options.stores() {
			server = append(persistence(ctx, client), f.replicas(ctx, client)...)
			if servers++; servers == 1 {
				d.Settings = append(d.Settings, server...)
			}
		}
		d.Timers, limits = f.timers(ctx, client), append(limits, f.options.limits(server)...)
		return nil
	})
	if err != nil {
		return d, err
	}
	d.Durability, err = f.options.durable.Back(f.options.backs(), limits...)
	return d, f.Explain("asking for INFO", err)
}

var (
	errBulk   = errors.New("proto-max-bulk-len")
	errOutput = errors.New("client-output-buffer-limit")
)

// limits are the sizes that the server accepts. 0 means no limit, or one that the server does
// not reveal: then messages get the server's own error.
type limits struct {
	bulk   int64 // bytes of a message that is sent
	output int64 // bytes that may wait for a subscriber, which is disconnected beyond it
}

// replyOverhead is how much longer than its payload a message can be in the server's output
// buffer, with the names of our channels.
const replyOverhead = 512

// check returns an error if a message of size bytes can never arrive.
func (l *limits) check(size int) error {
	if l.bulk > 0 && int64(size) > l.bulk {
		return fmt.Errorf("%d B are more than the %d B of %w", size, l.bulk, errBulk)
	}
	if l.output > 0 && int64(size)+replyOverhead > l.output {
		return fmt.Errorf("%d B, with up to %d B of overhead, are more than the %d B of %w pubsub", size, replyOverhead, l.output, errOutput)
	}
	return nil
}

// readLimits asks for the limits. A user may lack the permission to ask.
func readLimits(ctx context.Context, client redis.Cmdable) (l limits) {
	l.bulk, _ = strconv.ParseInt(config(ctx, client, errBulk.Error()), 10, 64)
	l.output = info.PubsubLimit(config(ctx, client, errOutput.Error()))
	return l
}

// config returns a setting of the server; "" if it does not reveal it.
func config(ctx context.Context, client redis.Cmdable, name string) string {
	return client.ConfigGet(ctx, name).Val()[name]
}

// readDisconnections returns how many clients the server has disconnected because of
// client-output-buffer-limit, if it reveals that: Redis 7.0 does not.
func readDisconnections(ctx context.Context, client redis.Cmdable) (n int64, known bool) {
	n, err := strconv.ParseInt(ask(ctx, client, "stats", "client_output_buffer_limit_disconnections"), 10, 64)
	return n, err == nil
}

// ask returns a field of a section of INFO.
func ask(ctx context.Context, client redis.Cmdable, section, name string) string {
	return info.Field(client.Info(ctx, section).Val(), name)
}

// serverSettings are the server's own settings that decide what an acknowledged message
// survives. Some are in a section of INFO as well.
var serverSettings = []struct{ name, doc, section, field string }{
	{name: "appendonly", doc: "whether it writes messages to its append-only file", section: "persistence", field: "aof_enabled"},
	{name: "appendfsync", doc: "when that file is synced to the disk: always before a message is acknowledged"},
	{name: "no-appendfsync-on-rewrite", doc: "whether it omits that while it rewrites the file"},
	{name: "save", doc: "when it writes all of its data to the disk"},
	{name: "min-replicas-to-write", doc: "how many replicas there must be"},
	{name: "maxmemory", doc: "bytes; 0: no limit", section: "memory", field: "maxmemory"},
	{name: "maxmemory-policy", doc: "whether it removes streams when its memory is full", section: "memory", field: "maxmemory_policy"},
	{name: "replicas", doc: "how many replicas are connected", section: "replication", field: "connected_slaves"},
}

const (
	serverPrefix = "server-"   // the names of the server's own settings begin with it
	notKnown     = "not known" // the value of a setting that the server does not reveal
)

// persistence asks the server for its settings. A user may lack the permission for CONFIG GET,
// as those of a managed service do: then INFO reveals some of them.
func persistence(ctx context.Context, client redis.Cmdable) (settings []requester.Setting) {
	for _, s := range serverSettings {
		value, known := client.ConfigGet(ctx, s.name).Val()[s.name]
		if !known && s.section != "" {
			value = ask(ctx, client, s.section, s.field)
			known = value != ""
		}
		switch {
		case !known:
			value = notKnown
		case s.field == "aof_enabled":
			value = cmp.Or(map[string]string{"0": "no", "1": "yes"}[value], value)
		}
		settings = append(settings, requester.Setting{Name: serverPrefix + s.name, Value: value, Doc: "the server's: " + s.doc})
	}
	return settings
}

package redis

import (
	"context"
	"slices"

	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/redis/go-redis/v9"
)

const clientModule = "github.com/redis/go-redis/v9"

// Describe implements [requester.Describer]. A fork of Redis is described by its
// own name and version, not by those of the Redis that it is compatible with.
func (f *Factory) Describe(ctx context.Context) (requester.Description, error) {
	d := requester.Description{Product: "Redis", Client: target.Client(clientModule, redis.Version()), Settings: slices.Clone(f.settings)}
	err := f.ask(ctx, func(client *redis.Client) error {
		info, err := client.Info(ctx, "server").Result()
		d.Version = field(info, "redis_version")
		for product, name := range map[string]string{"Valkey": "valkey_version", "Dragonfly": "dragonfly_version"} {
			if version := field(info, name); version != "" {
				d.Product, d.Version = product, version
			}
		}
		if err != nil {
			return err
		}
		var server []requester.Setting
		if f.options.stream != streamNone {
			server = persistence(ctx, client)
			d.Settings = append(d.Settings, server...)
		}
		d.Durability, err = f.options.durable.Back(f.options.backs(), f.options.limits(server)...)
		return err
	})
	return d, err
}

// ask calls question with a client that has a connection of its own.
func (f *Factory) ask(ctx context.Context, question func(*redis.Client) error) error {
	return f.with(ctx, "asking for INFO", question)
}

// with calls do with a client that has a connection of its own.
func (f *Factory) with(ctx context.Context, doing string, do func(*redis.Client) error) error {
	l := newLine(f)
	defer l.close()
	defer context.AfterFunc(ctx, l.close)()
	client, err := f.dialled(ctx, l)
	if err != nil {
		return f.explain("connecting", target.Because(ctx, err))
	}
	defer func() { _ = client.Close() }()
	if err := ping(ctx, client); err != nil {
		return f.explain("connecting", target.Because(ctx, err, l.refused()))
	}
	return f.explain(doing, target.Because(ctx, do(client)))
}

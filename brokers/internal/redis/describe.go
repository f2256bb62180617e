package redis

import (
	"context"

	"github.com/brokerbench/brokerbench/requester"
	"github.com/redis/go-redis/v9"
)

const clientModule = "github.com/redis/go-redis/v9"

// Describe implements [requester.Describer]. A fork of Redis is described by its
// own name and version, not by those of the Redis that it is compatible with.
func (f *Factory) Describe(ctx context.Context) (requester.Description, error) {
	d := f.Description("Redis", clientModule, redis.Version())
	err := f.with(ctx, "asking for INFO", func(client *redis.Client) error {
		text, err := client.Info(ctx, "server").Result()
		if err != nil {
			return err
		}
		d.Version = infoField(text, "redis_version")
		for product, name := range map[string]string{"Valkey": "valkey_version", "Dragonfly": "dragonfly_version"} {
			if version := infoField(text, name); version != "" {
				d.Product, d.Version = product, version
			}
		}
		var server []requester.Setting
		if f.options.stores() {
			server = persistence(ctx, client)
			d.Settings = append(d.Settings, server...)
		}
		d.Durability, err = f.options.durable.Back(f.options.backs(), f.options.limits(server)...)
		return err
	})
	return d, err
}

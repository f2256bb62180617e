package redis

import (
	"cmp"
	"context"

	"github.com/brokerbench/brokerbench/requester"
	"github.com/redis/go-redis/v9"
)

// asked are the server's own settings that say what an acknowledged message survives.
var asked = []requester.Setting{
	{Name: "appendonly", Doc: "the server's: whether it writes messages to its append-only file"},
	{Name: "appendfsync", Doc: "the server's: when that file is on the disk: always before a message is acknowledged"},
	{Name: "no-appendfsync-on-rewrite", Doc: "the server's: whether it leaves that out while it rewrites the file"},
	{Name: "save", Doc: "the server's: when it writes all of its data to the disk"},
	{Name: "min-replicas-to-write", Doc: "the server's: how many replicas there must be"},
	{Name: "maxmemory", Doc: "the server's: bytes; 0: no limit"},
	{Name: "maxmemory-policy", Doc: "the server's: whether it removes streams when it has no more memory"},
}

// notKnown is the value of a setting that the server does not tell.
const notKnown = "not known"

// persistence asks the server for its settings. A user may lack the permission to ask, as
// those of a managed service do: then INFO tells some of them.
func persistence(ctx context.Context, client redis.Cmdable) (settings []requester.Setting) {
	for _, s := range asked {
		value, err := client.ConfigGet(ctx, s.Name).Result()
		var known bool
		if s.Value, known = value[s.Name]; err != nil || !known {
			s.Value = cmp.Or(informed(ctx, client, s.Name), notKnown)
		}
		s.Name = serverPrefix + s.Name
		settings = append(settings, s)
	}
	replicas := cmp.Or(field(client.Info(ctx, "replication").Val(), "connected_slaves"), notKnown)
	return append(settings, requester.Setting{Name: serverPrefix + "replicas", Value: replicas, Doc: "the server's: how many replicas are connected"})
}

// informed returns a setting as INFO tells it; "" if it does not.
func informed(ctx context.Context, client redis.Cmdable, name string) string {
	switch name {
	case "maxmemory":
		return field(client.Info(ctx, "memory").Val(), "maxmemory")
	case "maxmemory-policy":
		return field(client.Info(ctx, "memory").Val(), "maxmemory_policy")
	case "appendonly":
		return map[string]string{"0": "no", "1": "yes"}[field(client.Info(ctx, "persistence").Val(), "aof_enabled")]
	}
	return ""
}

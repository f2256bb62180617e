package rabbitstream

import (
	"context"
	"fmt"

	"github.com/brokerbench/brokerbench/brokers/internal/management"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
)

// Levels returns how RabbitMQ's streams keep each level of durability. A stream is written to
// its file before it is confirmed, and never synced to the disk: if a machine loses its page
// cache, only other nodes have the messages.
func Levels() []target.Level {
	const three, asked = "three nodes in a cluster", "/api/nodes, /api/policies of the management API"
	return []target.Level{
		{Durability: requester.None, Note: "a stream always confirms"},
		{Durability: requester.Accepted, Note: "a stream is always in a file"},
		{Durability: requester.Process},
		{Durability: requester.Machine, Server: three, Asked: asked, Note: "a stream is never synced to the disk: one node alone is not enough"},
		{Durability: requester.Node, Server: three, Asked: asked, Note: "a stream has a member on each of the nodes, by default, and is confirmed by most of them"},
	}
}

// backing returns what options and broker back together. A stream that max-length trims loses
// confirmed messages although nothing has failed.
func (f *Factory) backing(ctx context.Context) (*requester.Backing, error) {
	if length := f.options.maxLength; length > 0 {
		return f.options.Durability.Back(requester.Node, target.Limit{
			Level: requester.None, Because: fmt.Sprintf("max-length=%d trims the stream: a message that was trimmed is not kept", length), Remedy: "leave out max-length",
		})
	}
	if limits := f.options.retention.Limits(); limits != nil {
		return f.options.Durability.Back(requester.Node, limits...)
	}
	return f.broker.Back(ctx, requester.Node, management.Queue{Name: f.stream(0), Type: "stream"}, func(why string, unknown bool) []target.Limit {
		return []target.Limit{{
			Level: requester.Process, Because: "a stream is never synced to the disk, and " + why, Remedy: "machine and node need three nodes", Unknown: unknown,
		}}
	})
}

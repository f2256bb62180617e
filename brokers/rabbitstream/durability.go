package rabbitstream

import (
	"context"
	"fmt"

	"github.com/brokerbench/brokerbench/brokers/internal/management"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/internal/words"
	"github.com/brokerbench/brokerbench/requester"
)

// Levels returns how RabbitMQ's streams keep each level of durability. A stream is written to
// its file before it is confirmed, and never synced to the disk: what a machine loses with
// its page cache, only other nodes have.
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

// backing returns what the broker backs. Of the options only max-length matters.
func (f *Factory) backing(ctx context.Context) (*requester.Backing, error) {
	api, err := f.management("")
	if err != nil {
		return nil, err
	}
	limits, asked := f.options.trims(), f.options.durability.Asked()
	running, err := api.Running(ctx)
	if err != nil {
		limits = append(append(limits, management.PoliciesUnknown(asked, err)...), target.Limit{
			Level: requester.Process, Because: "the number of nodes is not known: " + err.Error() + " (option management)", Unknown: true,
		})
		return f.options.durability.Back(requester.Node, limits...)
	}
	limits = append(limits, api.Limits(ctx, management.Queue{Name: f.stream(0), Type: "stream"}, asked)...)
	if running < 3 { // otherwise two more nodes have it
		limits = append(limits, target.Limit{
			Level: requester.Process, Because: fmt.Sprintf("a stream is never synced to the disk, and the cluster has %s", words.Plural(running, "running node")),
			Remedy: "machine and node need three nodes",
		})
	}
	return f.options.durability.Back(requester.Node, limits...)
}

// trims returns the limit of a stream that the broker trims: what was confirmed goes although
// nothing has failed.
func (o *options) trims() []target.Limit {
	if o.maxLength == 0 {
		return nil
	}
	return []target.Limit{{
		Level: requester.None, Because: fmt.Sprintf("max-length=%d trims the stream: a message that was trimmed is not kept", o.maxLength), Remedy: "leave out max-length",
	}}
}

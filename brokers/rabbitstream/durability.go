package rabbitstream

import (
	"context"
	"fmt"

	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/internal/words"
	"github.com/brokerbench/brokerbench/requester"
)

// Levels returns how RabbitMQ's streams keep each level of durability. A stream is written to
// its file before it is confirmed, and never synced to the disk: what a machine loses with
// its page cache, only other nodes have.
func Levels() []target.Level {
	const three, asked = "three nodes in a cluster", "/api/nodes of the management API"
	return []target.Level{
		{Durability: requester.None, Note: "a stream always confirms"},
		{Durability: requester.Accepted, Note: "a stream is always in a file"},
		{Durability: requester.Process},
		{Durability: requester.Machine, Server: three, Asked: asked, Note: "a stream is never synced to the disk: one node alone is not enough"},
		{Durability: requester.Node, Server: three, Asked: asked, Note: "a stream has a member on each of the nodes, by default, and is confirmed by most of them"},
	}
}

// backing returns what the broker backs; the options do not matter.
func (f *Factory) backing(ctx context.Context) (*requester.Backing, error) {
	back := func(limits ...target.Limit) (*requester.Backing, error) {
		return f.options.durability.Back(requester.Node, limits...)
	}
	api, err := f.management("")
	if err != nil {
		return nil, err
	}
	switch running, err := api.Running(ctx); {
	case err != nil:
		return back(target.Limit{
			Level: requester.Process, Because: "the number of nodes is not known: " + err.Error() + " (option management)", Unknown: true,
		})
	case running < 3:
		return back(target.Limit{
			Level: requester.Process, Because: fmt.Sprintf("a stream is never synced to the disk, and the cluster has %s", words.Plural(running, "running node")),
			Remedy: "machine and node need three nodes",
		})
	}
	return back() // two more nodes have it
}

package redis

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
)

// Levels returns how Redis keeps each level of durability.
func Levels() []target.Level { return levels(false) }

// levels returns them for one server, which is started again after it died, or, with sentinels,
// for three servers, where a replica takes over. Any replica certainly has only the messages
// that all replicas have: see guidedLimit.
func levels(guided bool) []target.Level {
	if guided {
		list := levels(false)
		for i := range list {
			if list[i].Durability.AtLeast(requester.Process) {
				list[i].Options = "stream=read&wait-replicas=2"
			}
		}
		return list
	}
	const asked = "CONFIG GET, INFO replication"
	return []target.Level{
		{Durability: requester.None, Options: "stream=none", Note: "pub/sub keeps nothing"},
		{Durability: requester.Accepted, Options: "stream=read"},
		{
			Durability: requester.Process, Options: "stream=read", Server: "appendonly yes, appendfsync no or always", Asked: asked,
			Note: "everysec is less: a message that arrives during a sync may be acknowledged before it is written; with sentinels wait-replicas must be the number of all replicas, since any may take over",
		},
		{
			Durability: requester.Machine, Options: "stream=read", Server: "appendonly yes, appendfsync always", Asked: asked,
			Note: "or everysec with the option wait-fsync=true; always needs no-appendfsync-on-rewrite no, too",
		},
		{
			Durability: requester.Node, Options: "stream=read&wait-replicas=1", Server: "as for process, and a replica", Asked: asked,
			Note: "if the most advanced replica takes over; with sentinels wait-replicas must be the number of all replicas; brokerbench does not ask the replicas themselves",
		},
	}
}

// backs returns the highest level that the options allow.
func (o *options) backs() requester.Durability {
	switch {
	case o.stream == streamNone:
		return requester.None
	case o.waitReplicas > 0:
		return requester.Node
	case o.guided:
		return requester.Accepted
	}
	return requester.Machine
}

// limits returns the limits that the server's own settings set to durability.
func (o *options) limits(server []requester.Setting) (list []target.Limit) {
	if o.stream == streamNone {
		return nil
	}
	of := make(map[string]string)
	for _, s := range server {
		of[strings.TrimPrefix(s.Name, serverPrefix)] = s.Value
	}
	list = append(list, append(evicts(of), o.trims()...)...)
	replicas, err := strconv.Atoi(of["replicas"])
	few := replicas < o.waitReplicas
	if few {
		list = append(list, target.Limit{
			Level: requester.Machine, Because: fmt.Sprintf("the server's number of replicas is %s", of["replicas"]),
			Remedy: "attach one with REPLICAOF", Unknown: err != nil,
		})
	}
	list = append(list, o.guidedLimit(replicas)...)
	return append(list, o.written(of, o.waitReplicas > 0 && (!few || err != nil))...)
}

// guidedLimit returns the limit of a message that not all replicas have. With three nodes:
//
//   - the master freezes, and the sentinels make replica A the master;
//   - the old master continues. Replica B still follows it, and WAIT counts B: messages are
//     acknowledged;
//   - the sentinels have B and the old master follow A, and both discard those messages.
func (o *options) guidedLimit(replicas int) []target.Limit {
	if !o.guided || o.waitReplicas == 0 || o.waitReplicas >= replicas {
		return nil
	}
	return []target.Limit{{
		Level:   requester.Accepted,
		Because: fmt.Sprintf("wait-replicas=%d of %d replicas: the sentinels may choose a master that does not have the message", o.waitReplicas, replicas),
		Remedy:  fmt.Sprintf("wait-replicas=%d", replicas),
	}}
}

// evicts returns the limit of a server that removes streams when its memory is full, or that
// does not reveal whether it does.
func evicts(of map[string]string) []target.Limit {
	policy := of["maxmemory-policy"]
	switch {
	case of["maxmemory"] == "0" || policy != notKnown && !strings.HasPrefix(policy, "allkeys"):
		return nil
	case policy == notKnown || of["maxmemory"] == notKnown:
		return []target.Limit{{Level: requester.None, Because: "whether the server removes streams when its memory is full is not known (CONFIG GET maxmemory, maxmemory-policy)", Unknown: true}}
	}
	return []target.Limit{{
		Level: requester.None, Because: "the server's maxmemory-policy is " + policy + ", which removes streams", Remedy: "CONFIG SET maxmemory-policy noeviction",
	}}
}

// trims returns the limit of a stream that XADD trims: acknowledged messages are removed
// although nothing has failed.
func (o *options) trims() []target.Limit {
	if o.maxLen == 0 {
		return nil
	}
	return []target.Limit{{
		Level: requester.None, Because: fmt.Sprintf("max-len=%d trims the stream: a message that was trimmed is not kept", o.maxLen), Remedy: "leave out max-len",
	}}
}

// written returns the limits that come from the server's disk. Syncing does not matter if a
// message is replicated before it is acknowledged.
func (o *options) written(of map[string]string, replicated bool) []target.Limit {
	because := func(name string) string { return "the server's " + name + " is " + of[name] }
	limit := func(level requester.Durability, name, remedy string) []target.Limit {
		return []target.Limit{{Level: level, Because: because(name), Remedy: remedy, Unknown: of[name] == notKnown}}
	}
	switch {
	case of["appendonly"] != "yes":
		return limit(requester.Accepted, "appendonly", "CONFIG SET appendonly yes")
	case of["appendfsync"] == notKnown:
		return limit(requester.Accepted, "appendfsync", "")
	case of["appendfsync"] == "everysec" && !o.waitFsync:
		return limit(requester.Accepted, "appendfsync", "CONFIG SET appendfsync always (no is enough for process and node)")
	case replicated:
		return nil
	case of["appendfsync"] == "no":
		return limit(requester.Process, "appendfsync", "CONFIG SET appendfsync always")
	case of["no-appendfsync-on-rewrite"] != "no" && !o.waitFsync:
		return limit(requester.Process, "no-appendfsync-on-rewrite", "CONFIG SET no-appendfsync-on-rewrite no")
	}
	return nil
}

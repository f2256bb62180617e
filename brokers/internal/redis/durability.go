package redis

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
)

// Levels returns how Redis keeps each level of durability.
func Levels() []target.Level { return levels(false, false) }

// levels returns them for one server, which is started again after it died, or, with sentinels or in a
// cluster, for several servers, where a replica takes over: of two behind sentinels, of one of each
// master in a cluster. Any replica certainly has only the messages that all replicas have: see limits.
func levels(guided, clustered bool) []target.Level {
	if guided || clustered {
		list, options := levels(false, false), "stream=read&wait-replicas=2"
		if clustered {
			options = "stream=read&wait-replicas=1"
		}
		for i := range list {
			if list[i].Durability.AtLeast(requester.Process) {
				list[i].Options = options
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
	case !o.stores():
		return requester.None
	case o.waitReplicas > 0:
		return requester.Node
	case o.guided:
		return requester.Accepted
	}
	return requester.Machine
}

// A limiter collects the limits that a server sets to durability.
type limiter struct {
	of   map[string]string // the server's own settings
	list []target.Limit
}

func (l *limiter) add(level requester.Durability, because, remedy string, unknown bool) {
	l.list = append(l.list, target.Limit{Level: level, Because: because, Remedy: remedy, Unknown: unknown})
}

// setting adds the limit that one of the server's settings sets.
func (l *limiter) setting(level requester.Durability, name, remedy string) {
	l.add(level, "the server's "+name+" is "+l.of[name], remedy, l.of[name] == notKnown)
}

// limits returns the limits that the server's own settings set to durability.
func (o *options) limits(server []requester.Setting) []target.Limit {
	if !o.stores() {
		return nil
	}
	l := &limiter{of: make(map[string]string)}
	for _, s := range server {
		l.of[strings.TrimPrefix(s.Name, serverPrefix)] = s.Value
	}
	l.evicts()
	if o.maxLen > 0 { // acknowledged messages are removed although nothing has failed
		l.add(requester.None, fmt.Sprintf("max-len=%d trims the stream: a message that was trimmed is not kept", o.maxLen), "leave out max-len", false)
	}
	l.list = append(l.list, o.retention.Limits()...)
	replicas, err := strconv.Atoi(l.of["replicas"])
	few := replicas < o.waitReplicas
	if few {
		l.add(requester.Machine, "the server's number of replicas is "+l.of["replicas"], "attach one with REPLICAOF", err != nil)
	}
	// The sentinels may choose any replica. With three nodes:
	//
	//   - the master freezes, and the sentinels make replica A the master;
	//   - the old master continues. Replica B still follows it, and WAIT counts B: messages are
	//     acknowledged;
	//   - the sentinels have B and the old master follow A, and both discard those messages.
	//
	// So may a cluster, which needs no replicas: without one, a master is started again.
	if o.guided && o.waitReplicas > 0 || o.clustered {
		l.replaced(o.waitReplicas, replicas)
	}
	l.written(o.waitFsync, o.waitReplicas > 0 && (!few || err != nil))
	return l.list
}

// replaced adds the limit of a master that another server may replace: any of its replicas, also one that is away now.
func (l *limiter) replaced(wait, connected int) {
	all, err := strconv.Atoi(l.of[replicasKnown])
	switch all = max(all, connected); {
	case wait < all:
		l.add(requester.Accepted, fmt.Sprintf("wait-replicas=%d of %d replicas (%d connected): the master may be replaced by one that does not have the message", wait, all, connected),
			fmt.Sprintf("wait-replicas=%d", all), false)
	case err != nil:
		l.setting(requester.Accepted, replicasKnown, "")
	}
}

// evicts adds the limit of a server that removes streams when its memory is full, or that
// does not reveal whether it does.
func (l *limiter) evicts() {
	policy := l.of["maxmemory-policy"]
	switch {
	case l.of["maxmemory"] == "0" || policy != notKnown && !strings.HasPrefix(policy, "allkeys"):
	case policy == notKnown || l.of["maxmemory"] == notKnown:
		l.add(requester.None, "whether the server removes streams when its memory is full is not known (CONFIG GET maxmemory, maxmemory-policy)", "", true)
	default:
		l.add(requester.None, "the server's maxmemory-policy is "+policy+", which removes streams", "CONFIG SET maxmemory-policy noeviction", false)
	}
}

// written adds the limits of the server's disk. Syncing does not matter if a message is
// replicated before it is acknowledged.
func (l *limiter) written(fsync, replicated bool) {
	if l.of["appendonly"] != "yes" {
		l.setting(requester.Accepted, "appendonly", "CONFIG SET appendonly yes")
	}
	switch of := l.of; {
	case of["appendfsync"] == notKnown:
		l.setting(requester.Accepted, "appendfsync", "")
	case of["appendfsync"] == "everysec" && !fsync:
		l.setting(requester.Accepted, "appendfsync", "CONFIG SET appendfsync always (no is enough for process and node)")
	case replicated:
	case of["appendfsync"] == "no":
		l.setting(requester.Process, "appendfsync", "CONFIG SET appendfsync always")
	case of["no-appendfsync-on-rewrite"] != "no" && !fsync:
		l.setting(requester.Process, "no-appendfsync-on-rewrite", "CONFIG SET no-appendfsync-on-rewrite no")
	}
}

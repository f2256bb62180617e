package redis

import (
	"context"
	"errors"
	"io"
	"strings"
	"syscall"

	"github.com/brokerbench/brokerbench/brokers/internal/redis/cluster"
	"github.com/brokerbench/brokerbench/brokers/target"
)

var remedies = target.Remedies{
	{Err: errNoMaster, Remedy: "correct the URL's path: SENTINEL MASTERS lists the names"},
	{Text: "unknown command 'sentinel'", Remedy: "this is no sentinel: correct host and port, which by custom is " + sentinelPort + ", or use the scheme " + scheme},
	{Err: errNotMaster, Remedy: "another master has not been chosen yet: wait a moment"},
	{Err: errNoSubscriber, Remedy: "the subscriber is disconnected, or the URL leads to several servers"},
	{Err: errBulk, Text: "invalid bulk length", Remedy: "raise it with CONFIG SET proto-max-bulk-len, or send smaller messages"},
	{Err: errOutput, Remedy: "raise it with CONFIG SET client-output-buffer-limit \"pubsub 0 0 0\", or send smaller messages"},
	{Text: "WRONGPASS", Remedy: "correct user and password in the URL"},
	{Text: "without any password configured", Remedy: "the server has no password: remove it from the URL"},
	{Text: "invalid password", Remedy: "correct user and password in the URL"},
	{Text: "NOAUTH", Remedy: "the server requires a password: put user:password@, or :password@, before the host"},
	{Text: "db index is out of range", Remedy: "the server has fewer databases: correct the URL's path"},
	{Text: "invalid db index", Remedy: "the server has fewer databases: correct the URL's path"},
	{Text: errFull, Remedy: "raise the server's maxclients, or use fewer connections"},
	{Text: "OOM ", Remedy: "the server is out of memory: raise its maxmemory, or free some; a stream grows until the run is over, unless the option max-len limits it"},
	{Text: "certificate required", Remedy: "the server requires a client certificate that it trusts: options tls-cert and tls-key"},
	{Text: "bad certificate", Remedy: "the server requires a client certificate that it trusts: options tls-cert and tls-key"},
	{Text: "invalid reply", Remedy: "this is no Redis server: correct host and port"},
	{Text: "can't parse", Remedy: "this is no Redis server: correct host and port"},
	{Text: "MISCONF", Remedy: "the server cannot write to its disk: free some space, and look into its log"},
	{Text: "LOADING", Remedy: "the server is still reading its data: wait until it is done"},
	{Text: "READONLY", Remedy: "this is a replica: name the master in the URL"},
	{Text: "cannot be used with replica", Remedy: "this is a replica: name the master in the URL"},
	{Text: "NOREPLICAS", Remedy: "the server's min-replicas-to-write requires more replicas: start them, or lower it"},
	{Text: "MOVED ", Remedy: "this server is a node of a cluster: use the scheme " + schemeCluster},
	{Err: cluster.ErrNoSlot, Text: "CLUSTERDOWN", Remedy: "the cluster does not serve all of its slots: look at CLUSTER INFO and CLUSTER NODES"},
	{Text: "TRYAGAIN", Remedy: slotMoves},
	{Text: "ASK ", Remedy: slotMoves},
	{Text: "cluster support disabled", Remedy: "this server is no node of a cluster: use the scheme " + scheme},
	{Text: "unknown command 'ssubscribe'", Remedy: "sharded pub/sub needs Redis 7.0 or later; streams do not: option stream=read"},
	{Err: errGone, Text: "NOGROUP", Remedy: "the stream was there: somebody removed it, or the server evicted it (maxmemory-policy)"},
	{Err: errExists, Remedy: "it may be in use and is left unchanged: if it is not needed, remove it with `brokerbench clean`"},
	{Err: errTrimmed, Remedy: "leave out the option max-len, or make it larger than the number of messages that a connection sends"},
	{Err: errReplicas, Remedy: replicasRemedy},
	{Err: errNoFsync, Remedy: replicasRemedy},
	{Text: "waitaof cannot be used when numlocal", Remedy: "the server has no append-only file: start it with appendonly yes, or leave out the option wait-fsync"},
	{Text: "unknown command 'waitaof'", Remedy: "the option wait-fsync needs Redis 7.2 or later, or Valkey"},
	{Text: "invalid stream id", Remedy: "the option stream needs Redis 6.2 or later"},
	{Text: "unknown command 'xautoclaim'", Remedy: "several members of a group need Redis 6.2 or later, or the option claim-idle=0"},
	{Text: "unknown command 'xadd'", Remedy: "the option stream needs Redis 6.2 or later"},
}

const slotMoves = "the cluster is moving the slot to another server: wait until it has"

const replicasRemedy = "look at INFO replication and INFO persistence of the server; start its replicas, lower wait-replicas, or raise wait-timeout"

func (f *Factory) remedy(err error) string {
	if remedy := f.handshakeRemedy(err); remedy != "" {
		return remedy
	}
	switch {
	case errors.Is(err, errDisconnected) && f.master != "":
		return "the master is away: every reconnect-wait the sentinels are asked for another"
	case errors.Is(err, errDisconnected):
		return "the server is away: restart it; every reconnect-wait brokerbench tries to connect again"
	case strings.Contains(err.Error(), "NOPERM"):
		return f.permissions()
	case f.options.clustered && (errors.Is(err, errReplaced) || strings.Contains(err.Error(), "MOVED ")):
		return slotMoves
	}
	return remedies.For(err)
}

// handshakeRemedy is for errors of the TLS handshake.
func (f *Factory) handshakeRemedy(err error) string {
	plain := strings.Replace(f.Target.Scheme, product(f.Target.Scheme)+"s", product(f.Target.Scheme), 1)
	switch text := err.Error(); {
	case !strings.HasPrefix(text, "TLS handshake"):
	case errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET):
		return "the server closed the connection: does it speak TLS there, and is it below its maxclients, which it does not report over TLS? Else use the scheme " + plain + ", or raise maxclients"
	case strings.Contains(text, "first record"), errors.Is(err, context.DeadlineExceeded):
		return "the server does not seem to speak TLS there: use the scheme " + plain + ", or correct the port"
	}
	return ""
}

// permissions lists what a user must be allowed.
func (f *Factory) permissions() string {
	if !f.options.stores() {
		return "the user must be allowed PING, PUBLISH, SUBSCRIBE and INFO, and the channels brokerbench.*"
	}
	return "the user must be allowed PING, INFO, EXISTS, XADD, XREAD, XGROUP, XREADGROUP, XACK, XAUTOCLAIM, XRANGE, XLEN, UNLINK, WAIT and WAITAOF, and the keys brokerbench.*"
}

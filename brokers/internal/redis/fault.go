package redis

import (
	"context"
	"errors"
	"io"
	"strings"
	"syscall"
)

// remedies are for errors that wrap err, or that contain text: a code of the server's, or any
// other text in lower case.
var remedies = []struct {
	err    error
	text   string
	remedy string
}{
	{err: errNoMaster, remedy: "correct the URL's path: SENTINEL MASTERS lists the names"},
	{text: "unknown command 'sentinel'", remedy: "this is no sentinel: correct host and port, which by custom is " + sentinelPort + ", or use the scheme " + scheme},
	{err: errNotMaster, remedy: "the sentinels have not chosen another master yet: wait a moment"},
	{err: errNoSubscriber, remedy: "the subscriber is disconnected, or the URL leads to several servers"},
	{err: errBulk, text: "invalid bulk length", remedy: "raise it with CONFIG SET proto-max-bulk-len, or send smaller messages"},
	{err: errOutput, remedy: "raise it with CONFIG SET client-output-buffer-limit \"pubsub 0 0 0\", or send smaller messages"},
	{text: "WRONGPASS", remedy: "correct user and password in the URL"},
	{text: "without any password configured", remedy: "the server has no password: remove it from the URL"},
	{text: "invalid password", remedy: "correct user and password in the URL"},
	{text: "NOAUTH", remedy: "the server requires a password: put user:password@, or :password@, before the host"},
	{text: "db index is out of range", remedy: "the server has fewer databases: correct the URL's path"},
	{text: "invalid db index", remedy: "the server has fewer databases: correct the URL's path"},
	{text: errFull, remedy: "raise the server's maxclients, or use fewer connections"},
	{text: "OOM ", remedy: "the server is out of memory: raise its maxmemory, or free some; a stream grows until the run is over, unless the option max-len limits it"},
	{text: "certificate required", remedy: "the server requires a client certificate that it trusts: options tls-cert and tls-key"},
	{text: "bad certificate", remedy: "the server requires a client certificate that it trusts: options tls-cert and tls-key"},
	{text: "invalid reply", remedy: "this is no Redis server: correct host and port"},
	{text: "can't parse", remedy: "this is no Redis server: correct host and port"},
	{text: "MISCONF", remedy: "the server cannot write to its disk: free some space, and look into its log"},
	{text: "LOADING", remedy: "the server is still reading its data: wait until it is done"},
	{text: "READONLY", remedy: "this is a replica: name the master in the URL"},
	{text: "cannot be used with replica", remedy: "this is a replica: name the master in the URL"},
	{text: "NOREPLICAS", remedy: "the server's min-replicas-to-write requires more replicas: start them, or lower it"},
	{text: "MOVED ", remedy: "this is a cluster, which is not supported: name a server that is not part of one"},
	{text: "CLUSTERDOWN", remedy: "this is a cluster, which is not supported: name a server that is not part of one"},
	{err: errGone, text: "NOGROUP", remedy: "the stream was there: somebody removed it, or the server evicted it (maxmemory-policy)"},
	{err: errExists, remedy: "it may be in use and is left unchanged: if it is not needed, remove it with `brokerbench clean`"},
	{err: errTrimmed, remedy: "leave out the option max-len, or make it larger than the number of messages that a connection sends"},
	{err: errReplicas, remedy: replicasRemedy},
	{err: errNoFsync, remedy: replicasRemedy},
	{text: "waitaof cannot be used when numlocal", remedy: "the server has no append-only file: start it with appendonly yes, or leave out the option wait-fsync"},
	{text: "unknown command 'waitaof'", remedy: "the option wait-fsync needs Redis 7.2 or later, or Valkey"},
	{text: "invalid stream id", remedy: "the option stream needs Redis 6.2 or later"},
	{text: "unknown command 'xadd'", remedy: "the option stream needs Redis 6.2 or later"},
}

const replicasRemedy = "look at INFO replication and INFO persistence of the server; start its replicas, lower wait-replicas, or raise wait-timeout"

func (f *Factory) remedy(err error) string {
	text := err.Error()
	if remedy := f.handshakeRemedy(err); remedy != "" {
		return remedy
	}
	switch {
	case errors.Is(err, errDisconnected) && f.master != "":
		return "the master is away: every reconnect-wait the sentinels are asked for another"
	case errors.Is(err, errDisconnected):
		return "the server is away: restart it; every reconnect-wait brokerbench tries to connect again"
	case strings.Contains(text, "NOPERM"):
		return f.permissions()
	}
	text += strings.ToLower(text)
	for _, r := range remedies {
		if r.err != nil && errors.Is(err, r.err) || r.text != "" && strings.Contains(text, r.text) {
			return r.remedy
		}
	}
	return ""
}

// handshakeRemedy is for errors of the TLS handshake.
func (f *Factory) handshakeRemedy(err error) string {
	plain := strings.Replace(f.Target.Scheme, schemeTLS, scheme, 1)
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
	return "the user must be allowed PING, INFO, EXISTS, XADD, XREAD, XGROUP, XREADGROUP, XACK, XRANGE, XLEN, UNLINK, WAIT and WAITAOF, and the keys brokerbench.*"
}

package redis

import (
	"context"
	"errors"
	"io"
	"strings"
	"syscall"

	"github.com/brokerbench/brokerbench/brokers/target"
)

// explain returns a [target.Fault] of the target, or nil for a nil err.
func (f *Factory) explain(doing string, err error) error {
	return target.Explain(f.target, doing, err, f.remedy)
}

func (f *Factory) remedy(err error) string {
	switch text := err.Error(); {
	case errors.Is(err, errNoMaster):
		return "correct the URL's path: SENTINEL MASTERS lists the names"
	case strings.Contains(strings.ToLower(text), "unknown command 'sentinel'"):
		return "this is no sentinel: correct host and port, which by custom is " + sentinelPort + ", or use the scheme " + scheme
	case errors.Is(err, errNotMaster):
		return "the sentinels have not made another the master yet: wait a moment"
	case errors.Is(err, errDisconnected) && f.master != "":
		return "the master is away: the sentinels are asked for another every reconnect-wait"
	case errors.Is(err, errDisconnected):
		return "the server is away: restart it; the connection is tried again every reconnect-wait"
	case errors.Is(err, errNobody):
		return "the subscriber is disconnected, or the URL leads to several servers"
	case errors.Is(err, errBulk), strings.Contains(text, "invalid bulk length"):
		return "raise it with CONFIG SET proto-max-bulk-len, or send smaller messages"
	case errors.Is(err, errOutput):
		return "raise it with CONFIG SET client-output-buffer-limit \"pubsub 0 0 0\", or send smaller messages"
	case strings.Contains(text, "WRONGPASS"), strings.Contains(text, "invalid password"):
		return "correct user and password in the URL"
	case strings.Contains(text, "NOAUTH"):
		return "the server wants a password: put user:password@, or :password@, before the host"
	case strings.Contains(text, "without any password configured"):
		return "the server has no password: leave it out of the URL"
	case strings.Contains(text, "NOPERM"):
		return f.permissions()
	case strings.Contains(text, "DB index is out of range"), strings.Contains(text, "invalid DB index"):
		return "the server has fewer databases: correct the URL's path"
	case strings.Contains(text, errFull):
		return "raise the server's maxclients, or use fewer connections"
	case strings.HasPrefix(text, "OOM"):
		return "the server is out of memory: raise its maxmemory, or free some; a stream grows until the run is over, but with the option max-len"
	case strings.HasPrefix(text, "TLS handshake") && (errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET)):
		return "the server closed the connection: does it speak TLS there, and is it below its maxclients, which it does not say over TLS? Else use the scheme " + f.plain() + ", or raise maxclients"
	case strings.HasPrefix(text, "TLS handshake") && (strings.Contains(text, "first record") || errors.Is(err, context.DeadlineExceeded)):
		return "the server does not seem to speak TLS there: use the scheme " + f.plain() + ", or correct the port"
	case strings.Contains(text, "certificate required"), strings.Contains(text, "bad certificate"):
		return "the server wants a client certificate that it trusts: options tls-cert and tls-key"
	case strings.Contains(text, "invalid reply"), strings.Contains(text, "can't parse"):
		return "this is no Redis server: correct host and port"
	}
	return storeRemedy(err)
}

// plain returns the scheme without TLS.
func (f *Factory) plain() string { return strings.Replace(f.target.Scheme, schemeTLS, scheme, 1) }

// permissions says what a user must be allowed.
func (f *Factory) permissions() string {
	if f.options.stream == streamNone {
		return "the user must be allowed PING, PUBLISH, SUBSCRIBE and INFO, and the channels brokerbench.*"
	}
	return "the user must be allowed PING, INFO, EXISTS, XADD, XREAD, XGROUP, XREADGROUP, XACK, XRANGE, XLEN, UNLINK, WAIT and WAITAOF, and the keys brokerbench.*"
}

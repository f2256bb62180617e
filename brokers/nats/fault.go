package nats

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// explain returns a [target.Fault] of the target, or nil for a nil err.
func (f *Factory) explain(doing string, err error) error {
	return target.Explain(f.target, doing, err, f.remedy)
}

func (f *Factory) remedy(err error) string {
	switch {
	case errors.Is(err, nats.ErrAuthorization), errors.Is(err, nats.ErrAuthExpired), errors.Is(err, nats.ErrAuthRevoked):
		if f.target.User == "" && f.token == "" {
			return "the server wants a user: put user:password@, or :token@, before the host"
		}
		return "correct user and password, or the token, in the URL"
	case errors.Is(err, nats.ErrPermissionViolation):
		return "the user must be allowed to publish and subscribe to brokerbench.>, and for streams to publish to $JS.API.> and $JS.ACK.> and to subscribe to _INBOX.>"
	case errors.Is(err, nats.ErrSecureConnWanted):
		return "the server does not offer TLS: use the scheme " + scheme
	case errors.Is(err, nats.ErrSecureConnRequired), !f.encrypted() && errors.Is(err, nats.ErrTLS):
		return "the server wants TLS: use the scheme " + schemeTLS
	case unwelcome(err):
		return "the server seems to want a client certificate that it trusts: options tls-cert and tls-key"
	case errors.Is(err, nats.ErrNoInfoReceived):
		return "this is no NATS server: correct host and port"
	case strings.Contains(err.Error(), "connections exceeded"): // of the server, or of the account
		return "raise max_connections in the server's configuration, or use fewer connections"
	case errors.Is(err, nats.ErrMaxPayload):
		return "raise max_payload in the server's configuration, or send smaller messages"
	case errors.Is(err, jetstream.ErrJetStreamNotEnabled), errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount):
		return "enable JetStream in the server's configuration: jetstream { store_dir: … }"
	case strings.Contains(err.Error(), "replicas > 1 not supported in non-clustered mode"):
		return "the server is no cluster: name servers of one, or use the option replicas=1"
	case errors.Is(err, jetstream.ErrNoStreamResponse):
		return "nobody answers for the stream: it has no leader just now, or it is gone, as one in memory is after the server has ended (use stream=file)"
	case errors.Is(err, jetstream.ErrStreamNotFound):
		return "the stream is gone, as one in memory is after the server has ended: somebody removed it, or use stream=file"
	case strings.Contains(err.Error(), "error creating store"):
		return "the server cannot write its store: look at the space and the permissions of its store_dir"
	case errors.Is(err, jetstream.ErrTooManyStalledMsgs):
		return "the server acknowledges too slowly: raise the option max-pending"
	case strings.Contains(err.Error(), "insufficient"), strings.Contains(err.Error(), "resource limits exceeded"), strings.Contains(err.Error(), "maximum bytes exceeded"), strings.Contains(err.Error(), "maximum messages exceeded"):
		return "the server has no room: raise max_file_store or max_memory_store in its configuration, or free some"
	case errors.Is(err, nats.ErrDisconnected), errors.Is(err, nats.ErrReconnectBufExceeded):
		return "the server is away: restart it; with the option reconnect-buffer, messages wait for it"
	}
	return ""
}

// unwelcome reports whether the server ended TLS because it wants another client
// certificate. With TLS 1.3 that comes late, as an alert or as a closed connection.
func unwelcome(err error) bool {
	text := err.Error()
	return strings.Contains(text, "certificate required") || strings.Contains(text, "bad certificate") || strings.Contains(text, "after TLS handshake")
}

// publishError explains why a message was not sent. If ctx has ended, that is the
// cause, whatever the socket says: it cut off a blocked write.
func (c *conn) publishError(ctx context.Context, size int, err error) error {
	var broken net.Error
	switch {
	case errors.Is(err, nats.ErrMaxPayload):
		err = fmt.Errorf("%d B are more than the %d B of max_payload: %w", size, c.client.MaxPayload(), err)
	case ctx.Err() != nil:
		err = fmt.Errorf("%w while the socket was blocked: %w", ctx.Err(), err)
	case errors.Is(err, nats.ErrReconnectBufExceeded), errors.As(err, &broken):
		err = fmt.Errorf("%w: %w", nats.ErrDisconnected, err)
	}
	return c.factory.explain("sending a message", err)
}

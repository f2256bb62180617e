package nats

import (
	"context"
	"errors"
	"fmt"
	"net"

	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	noAnswer = "no server answers for the stream: it has no leader now, or it is gone, like one in memory after its server has ended (use stream=file)"
	noRoom   = "the server has no room: raise max_file_store or max_memory_store in its configuration, or free some"
	noStream = "enable JetStream in the server's configuration: jetstream { store_dir: … }"
)

var remedies = target.Remedies{
	{Text: "certificate required", Remedy: noCertificate},
	{Text: "bad certificate", Remedy: noCertificate},
	{Text: "after TLS handshake", Remedy: noCertificate},
	{Text: "connections exceeded", Remedy: "raise max_connections in the server's configuration, or use fewer connections"}, // of the server, or of the account
	{Text: "replicas > 1 not supported in non-clustered mode", Remedy: "the server is no cluster: name servers of one, or use the option replicas=1"},
	{Text: "error creating store", Remedy: "the server cannot write its store: look at the space and the permissions of its store_dir"},
	{Text: "insufficient", Remedy: noRoom},
	{Text: "resource limits exceeded", Remedy: noRoom},
	{Text: "maximum bytes exceeded", Remedy: noRoom},
	{Text: "maximum messages exceeded", Remedy: noRoom},
	{Err: nats.ErrPermissionViolation, Remedy: "the user must be allowed to publish and subscribe to brokerbench.>, and for streams to publish to $JS.API.> and $JS.ACK.> and to subscribe to _INBOX.>"},
	{Err: nats.ErrSecureConnWanted, Remedy: "the server does not offer TLS: use the scheme " + scheme},
	{Err: nats.ErrSecureConnRequired, Remedy: "the server wants TLS: use the scheme " + schemeTLS},
	{Err: nats.ErrNoInfoReceived, Remedy: "this is no NATS server: correct host and port"},
	{Err: nats.ErrMaxPayload, Remedy: "raise max_payload in the server's configuration, or send smaller messages"},
	{Err: jetstream.ErrJetStreamNotEnabled, Remedy: noStream},
	{Err: jetstream.ErrJetStreamNotEnabledForAccount, Remedy: noStream},
	{Err: jetstream.ErrNoStreamResponse, Remedy: noAnswer},
	{Err: jetstream.ErrStreamNotFound, Remedy: "the stream is gone, like one in memory after its server has ended, or it was removed: use stream=file"},
	{Err: jetstream.ErrTooManyStalledMsgs, Remedy: "the server acknowledges too slowly: raise the option max-pending"},
	{Err: nats.ErrDisconnected, Remedy: "the server is away: restart it; with the option reconnect-buffer, messages wait for it"},
	{Err: nats.ErrReconnectBufExceeded, Remedy: "the server is away: restart it; with the option reconnect-buffer, messages wait for it"},
}

// noCertificate is for a server that ends TLS because it wants another client certificate. With
// TLS 1.3 that comes late, as an alert or as a closed connection.
const noCertificate = "the server seems to want a client certificate that it trusts: options tls-cert and tls-key"

func (f *Factory) remedy(err error) string {
	switch {
	case errors.Is(err, nats.ErrAuthorization), errors.Is(err, nats.ErrAuthExpired), errors.Is(err, nats.ErrAuthRevoked):
		if f.Target.User == "" && f.token == "" {
			return "the server wants a user: put user:password@, or :token@, before the host"
		}
		return "correct user and password, or the token, in the URL"
	case !f.encrypted() && errors.Is(err, nats.ErrTLS):
		return "the server wants TLS: use the scheme " + schemeTLS
	}
	return remedies.For(err)
}

// publishError explains why a message was not sent. If ctx has ended, that is the
// cause, whatever the socket says: it cut off a blocked write.
func (c *conn) publishError(ctx context.Context, size int, err error) error {
	var broken net.Error
	switch {
	case errors.Is(err, nats.ErrMaxPayload):
		what := fmt.Sprintf("%d B", size)
		if !c.factory.headers.None() {
			what += " and the headers"
		}
		err = fmt.Errorf("%s are more than the %d B of max_payload: %w", what, c.client.MaxPayload(), err)
	case ctx.Err() != nil:
		err = fmt.Errorf("%w while the socket was blocked: %w", ctx.Err(), err)
	case errors.Is(err, nats.ErrReconnectBufExceeded), errors.As(err, &broken):
		err = fmt.Errorf("%w: %w", nats.ErrDisconnected, err)
	}
	return c.factory.Explain("sending a message", err)
}

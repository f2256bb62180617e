// Package control is how the processes of a run reach each other: a NATS server of the
// run's own with TLS 1.3, a certificate that is pinned, and a secret for each agent; or a
// NATS that the site has. Agents only connect; they listen on nothing.
package control

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/brokerbench/brokerbench/internal/agents/wire"
)

// A Link says how a process reaches the control server.
type Link struct {
	URL      string
	SHA256   string        // of the certificate; "" to go by the system's authorities, if the URL asks for TLS
	Identity wire.Identity // without a secret, its name is only shown to users of the server
	Inbox    string        // where answers are heard, without the last part
}

// Dial connects, and tries again for as long as it takes: the first time, too, and after
// every cut. It returns once there is a connection, or an error when limit has passed. What
// is published while there is none is not kept.
func Dial(l Link, limit time.Duration) (*nats.Conn, error) {
	connected, closed := make(chan struct{}, 1), make(chan struct{}, 1)
	var refused atomic.Pointer[error]
	options := []nats.Option{
		nats.Name("brokerbench " + l.Identity.Name), nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1), nats.ReconnectWait(100 * time.Millisecond), nats.ReconnectJitter(0, 0),
		nats.ReconnectBufSize(-1), nats.PingInterval(time.Second), nats.MaxPingsOutstanding(5), nats.Timeout(2 * time.Second),
		nats.ConnectHandler(func(*nats.Conn) { connected <- struct{}{} }),
		nats.ClosedHandler(func(*nats.Conn) { closed <- struct{}{} }),
		nats.ReconnectErrHandler(func(_ *nats.Conn, err error) { refused.Store(&err) }),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}), // nats.go would print that a chunk was dropped: it is sent again
	}
	if l.Inbox != "" {
		options = append(options, nats.CustomInboxPrefix(l.Inbox))
	}
	if l.SHA256 != "" {
		options = append(options, nats.Secure(pinned(l.SHA256)))
	}
	if l.Identity.Secret != "" {
		options = append(options, nats.UserInfo(l.Identity.Name, l.Identity.Secret))
	}
	c, err := nats.Connect(l.URL, options...)
	if err != nil {
		return nil, fmt.Errorf("connecting to the control server: %w", err)
	}
	select {
	case <-connected:
		return c, nil
	case <-closed: // it refuses who this is
	case <-time.After(limit):
	}
	cause := c.LastError()
	if err := refused.Load(); cause == nil && err != nil {
		cause = *err
	}
	c.Close()
	if cause == nil {
		cause = errors.New("it does not answer")
	}
	return nil, fmt.Errorf("connecting to the control server at %s: %w", l.URL, cause)
}

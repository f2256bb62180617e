package nats

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/nats-io/nats.go"
)

// probeRetry is how long Setup waits for its probe before it sends another.
const probeRetry = time.Second

var (
	errNotSetUp = errors.New("nats: the connection is not set up")
	probe       = []byte("probe") // shorter than a request
)

// Setup implements [requester.Requester]: it connects, subscribes and sends
// itself a probe.
func (c *conn) Setup(ctx context.Context) error {
	defer context.AfterFunc(ctx, c.wire.close)()
	client, err := c.factory.connect(ctx, c.wire, c.events.options()...)
	if err != nil {
		return err
	}
	c.client = client
	if err := c.subscribe(); err != nil {
		return c.factory.Explain("subscribing to "+c.subject, err)
	}
	if err := c.probe(ctx); err != nil {
		return c.factory.Explain("probing "+c.subject, err)
	}
	c.events.Begin()
	return nil
}

// connect makes a client of one of the servers, which dials through w.
func (f *Factory) connect(ctx context.Context, w *wire, more ...nats.Option) (*nats.Conn, error) {
	return f.connectTo(ctx, f.servers(), w, more...)
}

func (f *Factory) connectTo(ctx context.Context, servers string, w *wire, more ...nats.Option) (*nats.Conn, error) {
	all, err := f.clientOptions()
	if err != nil {
		return nil, f.Explain("reading options", err)
	}
	all = append(all, nats.SetCustomDialer(w))
	if err := ctx.Err(); err != nil {
		return nil, f.Explain("connecting", err)
	}
	client, err := nats.Connect(servers, append(all, more...)...)
	if err != nil {
		return nil, f.Explain("connecting", target.Because(ctx, err, w.dialError(), w.refused(err)))
	}
	w.connected()
	return client, nil
}

// servers returns the hosts as nats.go wants them, without user and password: its
// errors repeat them.
func (f *Factory) servers() string {
	return "nats://" + strings.Join(f.Target.Addrs(defaultPort), ",nats://")
}

// subscribe subscribes to the subject, without the limit beyond which nats.go drops
// messages.
func (c *conn) subscribe() error {
	subscription, err := c.client.Subscribe(c.subject, c.receive)
	if err != nil {
		return err
	}
	ended := make(chan struct{})
	c.ended = ended
	subscription.SetClosedHandler(func(string) { close(ended) })
	return subscription.SetPendingLimits(-1, -1)
}

// probe publishes until one message is back.
func (c *conn) probe(ctx context.Context) error {
	retry := time.NewTicker(probeRetry)
	defer retry.Stop()
	for {
		if err := c.client.Publish(c.subject, probe); err != nil {
			return target.Because(ctx, err)
		}
		select {
		case <-c.probed:
			return nil
		case err := <-c.events.refused:
			return err
		case <-ctx.Done():
			return ctx.Err()
		case <-retry.C:
		}
	}
}

// Teardown implements [requester.Requester]: it closes the connection, which also
// ends the subscription, and waits for the last reply.
func (c *conn) Teardown(ctx context.Context) error {
	c.closing.Store(true)
	c.events.End()
	c.wire.close()
	if c.client != nil {
		c.client.Close()
	}
	if c.ended == nil {
		return nil
	}
	select {
	case <-c.ended:
		return nil
	case <-ctx.Done():
		return c.factory.Explain("tearing down "+c.subject, ctx.Err())
	}
}

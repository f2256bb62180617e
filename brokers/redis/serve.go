package redis

import (
	"time"

	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/redis/go-redis/v9"
)

// receive passes on replies until Teardown. After an error, go-redis connects and
// subscribes again at the next Receive.
func (c *conn) receive() {
	for {
		received, err := c.receiver.Receive(c.alive)
		if c.closing.Load() {
			return
		}
		switch m := received.(type) {
		case *redis.Message:
			c.deliver(m.Payload)
		case *redis.Subscription:
			c.down.settled()
			if c.back(subscriber) {
				c.served.Go(c.askWhy)
			}
		default:
			c.settleProbe(err)
			c.lost(subscriber, target.Because(c.alive, err, c.down.dialError(), c.down.whyLeft(), c.down.refused()))
			c.pause()
		}
	}
}

// publish reads the publisher's replies, and makes a new connection whenever the
// old one ends, until Teardown.
func (c *conn) publish(p *publisher) {
	for {
		err := target.Because(c.alive, c.answers(p), c.up.whyLeft())
		c.sender.Store(nil)
		p.close()
		for p = nil; p == nil; p, err = c.connectPublisher(c.alive, c.renew) {
			if c.closing.Load() {
				return
			}
			c.lost(sender, target.Because(c.alive, err))
			c.pause()
		}
		c.back(sender)
		c.sender.Store(p)
	}
}

// The two sockets of a connection, as events name them.
const (
	sender     = "publisher"
	subscriber = "subscriber"
)

// lost notes errors of a socket: the first one begins an outage.
func (c *conn) lost(socket string, err error) {
	if !c.outages.Lost(socket, "%s disconnected: %v", socket, err) {
		c.outages.Failed(socket, "%s reconnecting: %v", socket, err)
	}
}

// back ends an outage of a socket. alone tells whether the other socket stayed
// connected.
func (c *conn) back(socket string) (alone bool) {
	return c.outages.Back(socket, "%s reconnected", socket)
}

// pause waits before the next attempt to connect.
func (c *conn) pause() {
	select {
	case <-c.alive.Done():
	case <-time.After(c.factory.options.reconnectWait):
	}
}

// askWhy notes whether the server disconnected the subscriber alone because it was
// too slow.
func (c *conn) askWhy() {
	err := c.factory.ask(c.alive, func(client *redis.Client) error {
		disconnections, known := readDisconnections(c.alive, client)
		if more := disconnections - c.slow.Swap(disconnections); more > 0 {
			c.outages.Note("the server has disconnected %d slow clients by client-output-buffer-limit: what waited for them is lost", more)
		} else if !known {
			c.outages.Note("the subscriber alone was disconnected, as client-output-buffer-limit does to a slow one; this server does not say")
		}
		return nil
	})
	if err != nil && !c.closing.Load() {
		c.outages.Note("asking why the subscriber was disconnected: %v", err)
	}
}

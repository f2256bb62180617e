package redis

import (
	"context"
	"net"
	"strings"

	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/redis/go-redis/v9"
)

// switched is the channel on which a sentinel announces another master.
const switched = "+switch-master"

// follow ends the connections to a server that is no longer the master, until Teardown. One
// that is frozen or cut off would keep them for as long.
func (c *conn) follow() {
	for !c.closing.Load() {
		_ = c.listen() // each new connection asks for the master anyway
		c.pause()
	}
}

// listen listens to one sentinel until the connection to it ends, and returns why it ended.
func (c *conn) listen() error {
	f := c.factory
	l := newLine(f)
	defer l.close()
	defer context.AfterFunc(c.alive, l.close)()
	client, err := target.Reach(f.Target.Addrs(sentinelPort), 0, func(at string) (*redis.SentinelClient, error) {
		return f.sentinel(c.alive, l, at)
	})
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }()
	news := client.Subscribe(c.alive, switched)
	defer func() { _ = news.Close() }()
	if _, err := news.Receive(c.alive); err != nil { // the confirmation
		return err
	}
	// It may have happened before this connection listened.
	if addr, err := f.find(c.alive); err == nil {
		c.moved(addr)
	}
	for {
		m, err := news.ReceiveMessage(c.alive)
		if err != nil {
			return err
		}
		if addr, ok := newMaster(m.Payload, f.master); ok {
			c.moved(addr)
		}
	}
}

// newMaster reads "mymaster 10.0.0.1 6379 10.0.0.2 6379": the old and the new master of that
// name.
func newMaster(said, name string) (addr string, ok bool) {
	words := strings.Fields(said)
	if len(words) != 5 || words[0] != name {
		return "", false
	}
	return net.JoinHostPort(words[3], words[4]), true
}

// moved ends the connections to any other server than that at addr.
func (c *conn) moved(addr string) {
	c.up.leave(addr)
	c.down.leave(addr)
}

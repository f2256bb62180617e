package redis

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/brokerbench/brokerbench/brokers/internal/redis/info"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/redis/go-redis/v9"
)

// The schemes of a target whose hosts are sentinels end with ofSentinels.
const (
	ofSentinels    = "+sentinel"
	schemeSentinel = scheme + ofSentinels
	sentinelPort   = "26379"
)

var (
	errNoMaster  = errors.New("the sentinels know no master of that name")
	errNotMaster = errors.New("it is no longer the master")
	errReplaced  = errors.New("another server is the master now")
)

// guided reports whether the target's hosts are sentinels.
func guided(scheme string) bool { return strings.HasSuffix(scheme, ofSentinels) }

// readPath reads the path of the URL: the sentinels' name for the master, if they are asked, and
// the number of a database.
func (f *Factory) readPath() (err error) {
	database, example := f.Target.Path, "redis://host/0"
	if guided(f.Target.Scheme) {
		example = "redis+sentinel://h1,h2,h3/mymaster/0"
		if f.master, database, _ = strings.Cut(f.Target.Path, "/"); f.master == "" {
			return errors.New("no path: want the sentinels' name for the master, as in redis+sentinel://h1,h2,h3/mymaster")
		}
	}
	if database == "" {
		return nil
	}
	if f.database, err = strconv.Atoi(database); err != nil || f.database < 0 {
		return fmt.Errorf("path %q: want the number of a database, as in %s", f.Target.Path, example)
	}
	return nil
}

// find returns the address of the server: of the master that the sentinels know now, of a master
// of the cluster, or of the target's host.
func (f *Factory) find(ctx context.Context) (addr string, err error) {
	if f.options.clustered {
		addrs, err := f.slots.Masters(ctx)
		return append(addrs, "")[0], err
	}
	if f.master == "" {
		return f.Target.Addrs(defaultPort)[0], nil
	}
	addr, err = target.Ask(ctx, f.Target.Addrs(sentinelPort), f.askSentinel)
	if err != nil {
		return "", fmt.Errorf("asking the sentinels for %s: %w", f.master, err)
	}
	return addr, nil
}

// askSentinel asks one sentinel for the master.
func (f *Factory) askSentinel(ctx context.Context, at string) (addr string, err error) {
	l := newLine(f)
	defer l.close()
	defer context.AfterFunc(ctx, l.close)()
	client, err := f.sentinel(ctx, l, at)
	if err != nil {
		return "", target.Because(ctx, err)
	}
	defer func() { _ = client.Close() }()
	is, err := client.GetMasterAddrByName(ctx, f.master).Result()
	if errors.Is(err, redis.Nil) {
		return "", fmt.Errorf("%s: %w", at, errNoMaster)
	}
	if err != nil || len(is) != 2 {
		return "", fmt.Errorf("%s: %w", at, l.because(ctx, err))
	}
	return net.JoinHostPort(is[0], is[1]), nil
}

// timers asks the sentinels, or a server of a cluster, how soon a master is replaced; none otherwise.
func (f *Factory) timers(ctx context.Context, client *redis.Client) []requester.Setting {
	if f.options.clustered {
		return target.Known(client.ConfigGet(ctx, "cluster-*").Val(), "cluster-node-timeout", "cluster-require-full-coverage")
	}
	if f.master == "" {
		return nil
	}
	return target.Known(f.masterFields(ctx), "down-after-milliseconds", "failover-timeout", "quorum")
}

// masterFields returns what a sentinel knows about the master; nil if none answers.
func (f *Factory) masterFields(ctx context.Context) map[string]string {
	known, _ := target.Ask(ctx, f.Target.Addrs(sentinelPort), func(ctx context.Context, at string) (map[string]string, error) {
		l := newLine(f)
		defer l.close()
		defer context.AfterFunc(ctx, l.close)()
		client, err := f.sentinel(ctx, l, at)
		if err != nil {
			return nil, err
		}
		defer func() { _ = client.Close() }()
		return client.Master(ctx, f.master).Result()
	})
	return known
}

// sentinel makes go-redis's client of a sentinel, from a socket that l has dialled.
func (f *Factory) sentinel(ctx context.Context, l *line, at string) (*redis.SentinelClient, error) {
	l.find = always(at)
	dial, err := l.connected(ctx)
	if err != nil {
		return nil, err
	}
	o := f.clientOptions(dial)
	o.DB, o.OnConnect = 0, nil
	if !f.options.sentinelAuth {
		o.Username, o.Password = "", ""
	}
	return redis.NewSentinelClient(o), nil
}

// always returns a find of one address.
func always(addr string) func(context.Context) (string, error) {
	return func(context.Context) (string, error) { return addr, nil }
}

// leads refuses a server that is not the master: the others may not agree on one yet.
func (f *Factory) leads(ctx context.Context, client *redis.Conn) error {
	text, err := client.Info(ctx, "replication").Result()
	if role := info.Field(text, "role"); err == nil && role != "master" {
		return fmt.Errorf("%w: its role is %s", errNotMaster, role)
	}
	return err
}

// guides are the settings of a target with sentinels that are not options.
func (f *Factory) guides() []requester.Setting {
	if f.master == "" {
		return nil
	}
	return []requester.Setting{
		{Name: "master", Value: f.master, Doc: "from the URL's path: its name among the sentinels"},
		{Name: "failover", Value: "the sentinels are asked before each connection, and +switch-master ends those to another", Doc: "fixed: as NewFailoverClient of go-redis does, which would connect to the sentinels for each socket, and log"},
	}
}

// switched is the channel on which a sentinel announces another master.
const switched = "+switch-master"

// follow ends the connections to a server that is no longer the master, until Teardown. One
// that is frozen or cut off would keep them for as long.
func (c *conn) follow() {
	for !c.Muted() {
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

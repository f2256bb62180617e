package redis

import (
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"

	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
)

const (
	scheme      = "redis"
	schemeTLS   = "rediss"
	defaultPort = "6379"
)

// A Factory makes the connections to one target. It is safe for concurrent use.
type Factory struct {
	target   target.Target
	run      string
	database int
	options  options
	settings []requester.Setting
	conns    atomic.Int64 // of which New was called, the highest, and 1
	copies   atomic.Int64 // the most that were seen of the data: a master, and its replicas
	mute     atomic.Bool  // the server did not answer when a stream was to be removed
}

var _ requester.Describer = (*Factory)(nil)

// Open returns the factory for the target at rawURL. It does not connect. run
// becomes part of the channels' names: no two runs on a server may share it.
func Open(rawURL, run string) (*Factory, error) { return target.Open("redis", rawURL, run, New) }

// New is Open for a URL that was parsed already.
func New(t target.Target, run string) (f *Factory, err error) {
	f = &Factory{target: t, run: run}
	f.settings, err = target.Form{
		Broker: "redis", Schemes: []string{scheme, schemeTLS}, URL: f.checkURL(),
		Define: f.options.define, Check: func() error { return f.options.check(f.encrypted()) },
		Durable: &f.options.durable,
	}.Read(t, run)
	f.settings = append(f.settings, f.fixed()...)
	return f, err
}

func (f *Factory) checkURL() error {
	t := f.target
	return errors.Join(
		f.readDatabase(),
		target.Refuse(len(t.Hosts) > 1, "%d hosts: want one; clusters and sentinels are not supported", len(t.Hosts)),
		target.Refuse(t.User != "" && t.Password == "",
			"user %q has no password: write user:password@, or :password@ for a password alone", t.User),
	)
}

// readDatabase reads the path: the number of a database.
func (f *Factory) readDatabase() (err error) {
	if f.target.Path == "" {
		return nil
	}
	if f.database, err = strconv.Atoi(f.target.Path); err != nil || f.database < 0 {
		return fmt.Errorf("path %q: want the number of a database, as in redis://host/0", f.target.Path)
	}
	return nil
}

func (f *Factory) encrypted() bool { return f.target.Scheme == schemeTLS }

// New implements [requester.Factory].
func (f *Factory) New(conn int, reply requester.Reply) (requester.Requester, error) {
	c := newConn(f, conn, reply)
	if f.options.stream == streamNone {
		return c, nil
	}
	f.conns.Store(max(f.conns.Load(), int64(conn)+1))
	return newStreamConn(c), nil
}

// channel returns the name of a connection's channel, or stream.
func (f *Factory) channel(conn int) string { return target.Name(f.run, conn) }

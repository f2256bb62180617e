package rabbitmq

import (
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"

	"github.com/brokerbench/brokerbench/brokers/internal/target"
	"github.com/brokerbench/brokerbench/requester"
)

const (
	scheme    = "amqp"
	schemeTLS = "amqps"
)

// A Factory makes the connections to one target. It is safe for concurrent use.
type Factory struct {
	target   target.Target
	run      string
	options  options
	settings []requester.Setting
	tls      *tls.Config // nil for amqp
}

var (
	_ requester.Factory   = (*Factory)(nil)
	_ requester.Describer = (*Factory)(nil)
)

// Open returns the factory for the target at rawURL. It does not connect. run
// becomes part of the queues' names: no two runs on a broker may share it.
func Open(rawURL, run string) (*Factory, error) { return target.Open(rawURL, run, New) }

// New is Open for a URL that was parsed already.
func New(t target.Target, run string) (*Factory, error) {
	f := &Factory{target: t, run: run}
	if err := f.configure(); err != nil {
		return nil, fmt.Errorf("rabbitmq: target %s: %w", t, err)
	}
	return f, nil
}

// configure checks the URL and reads its options.
func (f *Factory) configure() error {
	set := target.NewOptions("rabbitmq")
	f.options.define(set)
	err := errors.Join(f.checkURL(), set.Apply(f.target.Query))
	if err == nil {
		err = f.options.check(f.target)
	}
	if err == nil && f.target.Scheme == schemeTLS {
		f.tls, err = f.options.tls.Config()
	}
	f.settings = set.Settings()
	return err
}

func (f *Factory) checkURL() error {
	var errs []error
	if f.target.Scheme != scheme && f.target.Scheme != schemeTLS {
		errs = append(errs, fmt.Errorf("scheme %q: want %s or %s", f.target.Scheme, scheme, schemeTLS))
	}
	return errors.Join(append(errs, target.CheckRun(f.run))...)
}

// New implements [requester.Factory].
func (f *Factory) New(number int, reply requester.Reply) (requester.Requester, error) {
	return newConn(f, number, reply), nil
}

// vhost returns the name of the vhost.
func (f *Factory) vhost() string { return cmp.Or(f.target.Path, "/") }

// queue returns the name of a connection's queue, and of its exchange if it has
// one.
func (f *Factory) queue(number int) string { return fmt.Sprintf("brokerbench.%s.%d", f.run, number) }

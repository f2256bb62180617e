package management

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/transport"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/requester"
)

// Options are the options that every protocol of RabbitMQ has.
type Options struct {
	ReconnectWait time.Duration
	FrameSize     int
	TLS           target.TLS
	Durability    target.Durable
	Management    string
}

// Define adds the options to set. limits documents how client and broker agree on the frame size.
func (o *Options) Define(set target.Options, frameSize int, limits string, levels []target.Level) {
	set.DurationVar(&o.ReconnectWait, "reconnect-wait", 100*time.Millisecond, "pause before each attempt to reconnect")
	set.IntVar(&o.FrameSize, "frame-size", frameSize, "largest frame in bytes; "+limits)
	o.TLS.Define(set)
	o.Durability.Define(set, levels)
	set.StringVar(&o.Management, "management", "", "URL of the management API, which reports the nodes of the cluster to the target's user; \"\": port 15672 of the first host, 15671 with TLS")
}

// Audits reports whether each message is routed to a second queue as well, from which nothing is
// consumed. A consumer may take a message before the broker has stored it: then the broker confirms it
// without storing it, and the level of durability would mean less than with other brokers.
func (o *Options) Audits() bool { return o.Durability.Asked().AtLeast(requester.Accepted) }

// Check reports every option with a bad value. backs is the most durability that the other
// options allow.
func (o *Options) Check(encrypted bool, schemeTLS string, backs requester.Durability) error {
	return errors.Join(
		target.Between("reconnect-wait", o.ReconnectWait, time.Millisecond, time.Minute),
		target.Between("frame-size", o.FrameSize, 4096, 1<<30),
		o.TLS.Check(encrypted, schemeTLS),
		target.CheckHTTP("option management", o.Management),
		o.Durability.Check(backs),
	)
}

// A Broker is a RabbitMQ broker as the URL of a target names it, for any of its protocols. It is
// safe for concurrent use.
type Broker struct {
	target.Base

	Scheme, SchemeTLS string
	Port, PortTLS     string // the defaults
	Options           *Options

	cluster cluster
}

// Read checks the URL of a target, and sets its options. form lacks only what all protocols share.
func (b *Broker) Read(t target.Target, run string, form target.Form, check func(encrypted bool) error) (err error) {
	b.Target = t
	form.Schemes, form.Durable = []string{b.Scheme, b.SchemeTLS}, &b.Options.Durability
	form.Check = func() error { return check(b.Encrypted()) }
	b.Base, err = form.Read(t, run)
	return err
}

// Encrypted reports whether clients use TLS.
func (b *Broker) Encrypted() bool { return b.Target.Scheme == b.SchemeTLS }

// Vhost returns the name of the vhost.
func (b *Broker) Vhost() string { return cmp.Or(b.Target.Path, "/") }

// User returns the user and the password.
func (b *Broker) User() (user, password string) {
	if b.Target.User == "" {
		return "guest", "guest"
	}
	return b.Target.User, b.Target.Password
}

// Dialer returns how clients connect to the nodes.
func (b *Broker) Dialer() transport.Dialer {
	if b.Encrypted() {
		return transport.Dialer{Target: b.Target, Port: b.PortTLS, TLS: &b.Options.TLS, NoDelay: true}
	}
	return transport.Dialer{Target: b.Target, Port: b.Port, NoDelay: true}
}

// Addrs returns host and port of the nodes.
func (b *Broker) Addrs() []string { return b.Target.Addrs(b.Dialer().Port) }

// API returns the management API at base; "" is where the options say that it is, or its usual
// port.
func (b *Broker) API(base string) (API, error) {
	user, password := b.User()
	config, err := b.Options.TLS.Config()
	return API{
		Base: cmp.Or(base, b.Options.Management), Addrs: b.Addrs(), Encrypted: b.Encrypted(),
		User: user, Password: password, Vhost: b.Vhost(), TLS: config,
	}, err
}

// Back returns what options and broker back together. options is the most that the options
// allow; alone returns the limits of a queue or stream that may have one copy only, and why. q is
// the queue to which policies may apply.
func (b *Broker) Back(ctx context.Context, options requester.Durability, q Queue, alone func(why string, unknown bool) []target.Limit) (*requester.Backing, error) {
	durability := &b.Options.Durability
	if options == requester.None {
		return durability.Back(options)
	}
	api, err := b.API("")
	if err != nil {
		return nil, err
	}
	limits := api.limits(ctx, q, durability.Asked())
	if options != requester.Node {
		return durability.Back(options, limits...)
	}
	switch _, running, err := api.nodes(ctx); {
	case err != nil:
		limits = append(limits, alone("the management API does not tell the number of nodes: "+err.Error()+" ("+nameAPI+")", true)...)
	case running < 3: // otherwise two more nodes have a copy
		limits = append(limits, alone("the cluster has "+words.Plural(running, "running node"), false)...)
	}
	return durability.Back(options, limits...)
}

// Remedies for errors that every protocol reports in its own way.
const (
	CorrectUser = "correct user and password; guest may only connect from the broker's own machine"
	nameAPI     = "name it with ?management=http://HOST:PORT"
	Permit      = "permit the user to configure, write and read brokerbench.* in this vhost"
)

// CreateVhost is the remedy for a vhost that does not exist, or is closed to the user.
func (b *Broker) CreateVhost() string {
	return fmt.Sprintf("create the vhost %q and permit the user to use it, or name another as the URL's path", b.Vhost())
}

// WrongPort returns the remedy for a port that does not use TLS, or else for one with which
// the handshake of the protocol failed; "" for other errors.
func (b *Broker) WrongPort(err, handshake error) string {
	var header tls.RecordHeaderError
	switch {
	case errors.As(err, &header):
		return "the port does not speak TLS: use the scheme " + b.Scheme + ", or correct the port"
	case errors.Is(err, handshake):
		return "is it a RabbitMQ broker, and is " + b.Target.Scheme + " the scheme of this port? Its default port is " + b.Port
	}
	return ""
}

package amqp1

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/Azure/go-amqp"
	"github.com/brokerbench/brokerbench/brokers/internal/leftover"
	"github.com/brokerbench/brokerbench/brokers/internal/transport"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
)

// dynamic is the address with which the broker makes a temporary queue for each connection.
const dynamic = "dynamic"

// A Plain makes the connections to a broker other than RabbitMQ, with nothing but AMQP 1.0: the
// broker makes the queues, or they exist. It empties them in Setup and Teardown, and never removes one. It
// is safe for concurrent use.
type Plain struct {
	f         *Factory
	conns     transport.Set[*conn]
	explained atomic.Int64 // questions why messages are missing
}

var (
	_ requester.Auditor     = (*Plain)(nil)
	_ requester.Describer   = (*Plain)(nil)
	_ requester.HeaderTaker = (*Plain)(nil)
)

// NewFor returns the factory for a target: a [*Plain] if the target names the address of its queues,
// or else a [*Factory].
func NewFor(t target.Target, run string) (requester.Factory, error) {
	f, err := New(t, run)
	switch {
	case err != nil:
		return nil, err
	case f.options.address != "":
		return &Plain{f: f}, nil
	}
	return f, nil
}

// New implements [requester.Factory].
func (p *Plain) New(number int, sink requester.Sink) (requester.Requester, error) {
	if address := p.f.options.address; number > 0 && address != dynamic && address == p.f.options.addressOf("", number) {
		return nil, fmt.Errorf("amqp1: connection %d would receive the messages of connection 0, because address=%s has no {number} and no {name}", number, address)
	}
	c := newConn(p.f, number, sink)
	c.Shares = nil
	if p.f.options.address != dynamic {
		c.Shares = []*leftover.Shared{{Made: leftover.Made{Kind: "queue", Name: p.f.options.addressOf(c.Queue, number), Delete: p.discard}}}
		c.Make = func(ctx context.Context, s *leftover.Shared) error {
			return p.empty(ctx, s.Name, func() { s.Set(true) }, func([]byte) {})
		}
		p.conns.Add(c)
	}
	return c, nil
}

// Describe implements [requester.Describer].
func (p *Plain) Describe(ctx context.Context) (requester.Description, error) {
	return p.f.Describe(ctx)
}

// Store implements [requester.Auditor].
func (p *Plain) Store() requester.Store {
	return requester.Store{Consuming: p.keeps(), Explain: p.explainLoss}
}

// leastReadings is how often the queues are read before a message counts as lost: the first time the broker may
// still be putting back what consumers had not accepted.
const leastReadings = 3

// explainLoss tells whether missing messages may come back. Over AMQP no broker says what it holds for a consumer, so that
// nothing is lost for certain once a connection was.
func (p *Plain) explainLoss(context.Context) error {
	for _, c := range p.conns.All() {
		if c.Losses() > 0 {
			return fmt.Errorf("connection %d was lost, and the broker does not say what it holds for it: %w", c.Number, requester.ErrHeld)
		}
	}
	if p.explained.Add(1) < leastReadings {
		return requester.ErrHeld
	}
	return nil
}

// keeps reports whether a message that was acknowledged is in its queue until a consumer has accepted it.
func (p *Plain) keeps() bool {
	o := &p.f.options
	return o.confirm && o.queue.Durable && o.accept
}

var errNoAudit = errors.New("an audit takes confirm=true, durable=true and accept=true")

// Audit implements [requester.Auditor]: it stops the consumers, and empties the queues.
func (p *Plain) Audit(ctx context.Context, kept func(payload []byte)) error {
	if !p.keeps() {
		return fmt.Errorf("%w: %w", errNoAudit, requester.ErrKeepsNothing)
	}
	if err := p.conns.Each(func(c *conn) error { return c.StopConsuming(ctx) }); err != nil {
		return p.f.explain("stopping consumers", err)
	}
	for _, c := range p.conns.All() {
		for _, queue := range c.Shares {
			if err := p.empty(ctx, queue.Name, func() {}, kept); err != nil {
				return err
			}
		}
	}
	return nil
}

// discard empties the queue at an address.
func (p *Plain) discard(ctx context.Context, address string) error {
	return p.empty(ctx, address, func() {}, func([]byte) {})
}

// emptied is how many messages may be on their way to a connection that empties a queue.
const emptied = 1000

// empty takes all messages out of the queue at an address. It ends with a message that it sends itself: the queue
// keeps their order. (Artemis does not always answer when it is asked to return credit.) It calls there once the
// queue is there.
func (p *Plain) empty(ctx context.Context, address string, there func(), kept func(payload []byte)) error {
	c, err := p.f.dial(ctx, 0, "brokerbench empties "+address)
	if err != nil {
		return p.f.explain("connecting", plain(err))
	}
	defer c.close()
	l := link{client: c, conn: &conn{factory: p.f}}
	err = c.During(ctx, func() error { return l.empty(ctx, address, there, kept) })
	return p.f.explain("emptying "+address, plain(err))
}

func (l *link) empty(ctx context.Context, address string, there func(), kept func(payload []byte)) error {
	o := &l.conn.factory.options
	if err := l.attachSender(ctx, address); err != nil {
		return err
	}
	there()
	session, err := l.NewSession(ctx, nil)
	if err != nil {
		return err
	}
	how := o.receiving()
	how.Credit, how.RequestedSenderSettleMode = emptied, amqp.SenderSettleModeUnsettled.Ptr()
	if l.receiver, err = session.NewReceiver(ctx, address, how); err != nil {
		return err
	}
	last := o.message()
	last.Data[0] = transport.NewMark()
	ctx, cancel := context.WithCancelCause(ctx)
	sent := make(chan struct{})
	defer func() { cancel(nil); <-sent }()
	go func() { // a full queue takes it only when messages are taken out
		defer close(sent)
		if err := l.probeWith(ctx, last); err != nil {
			cancel(err)
		}
	}()
	for {
		m, err := l.receiver.Receive(ctx, nil)
		if err == nil {
			err = l.receiver.AcceptMessage(ctx, m)
		}
		if err != nil {
			return cmp.Or(context.Cause(ctx), err)
		}
		if bytes.Equal(m.GetData(), last.Data[0]) {
			return nil
		}
		kept(requester.Join(nil, transport.StampOf(m.ApplicationProperties), m.GetData()))
	}
}

// TakeHeaders implements [requester.HeaderTaker].
func (p *Plain) TakeHeaders(h requester.Headers) error { return p.f.TakeHeaders(h) }

// addressOf returns the address of a connection's queue.
func (o *options) addressOf(name string, number int) string {
	return strings.NewReplacer("{name}", name, "{number}", strconv.Itoa(number)).Replace(o.address)
}

// attachPlain attaches both directions to the address. A dynamic one is known once the receiver is
// attached.
func (l *link) attachPlain(ctx context.Context) error {
	c, o := l.conn, &l.conn.factory.options
	address := o.addressOf(c.Queue, c.Number)
	from := address
	if o.address == dynamic {
		from = "" // the broker names it
	}
	if err := l.attachReceiver(ctx, from); err != nil {
		return err
	}
	if o.address == dynamic {
		address = l.receiver.Address()
	}
	return l.attachSender(ctx, address)
}

// capabilities returns those of an address: without, some brokers make a topic of it.
func (o *options) capabilities() []string {
	switch o.address {
	case "":
		return nil
	case dynamic:
		return []string{"temporary-queue"}
	}
	return []string{"queue"}
}

// hostName returns the host of a connection's open frame, which selects RabbitMQ's vhost, or the
// virtual host or namespace of another broker: the URL's path, or else its first host.
func (f *Factory) hostName() string {
	if f.options.address == "" {
		return "vhost:" + f.broker.Vhost()
	}
	host, _, _ := net.SplitHostPort(f.broker.Addrs()[0])
	return cmp.Or(f.broker.Target.Path, host)
}

// sasl returns how a connection authenticates: without a user as anonymous, but as guest to RabbitMQ.
func (f *Factory) sasl() amqp.SASLType {
	if f.options.address != "" && f.broker.Target.User == "" {
		return amqp.SASLTypeAnonymous()
	}
	return amqp.SASLTypePlain(f.broker.User())
}

// backs returns the most durability that the options allow.
func (o *options) backs() requester.Durability { return o.queue.Backs(o.confirm) }

// back returns what the options back: no AMQP frame has the broker's configuration.
func (o *options) back() (*requester.Backing, error) {
	return o.Durability.Back(o.backs(), target.Limit{
		Level: requester.Accepted, Because: "the broker does not report over AMQP whether its store keeps messages, or syncs", Unknown: true,
	})
}

// checkAddress refuses options that only RabbitMQ has.
func (o *options) checkAddress() error {
	if o.address == "" {
		return nil
	}
	return errors.Join(
		target.Refuse(o.queue.Type != "classic", "option queue-type is RabbitMQ's, and address is not"),
		target.Refuse(o.queue.MaxLength > 0, "option max-length is RabbitMQ's, and address is not: set it in the broker"),
		target.Refuse(o.queue.Single, "option single-active-consumer is RabbitMQ's, and address is not"),
		target.Refuse(o.address == dynamic && o.queue.Durable, "option durable=true needs an address other than dynamic: a temporary queue goes with its connection"),
	)
}

const correctUser = "correct user and password: they are in the URL; without them the connection is anonymous"

// remedyForPlain returns the remedy for a connection to a broker other than RabbitMQ.
func (f *Factory) remedyForPlain(err error) string {
	var cause *amqp.Error
	t, text := f.broker.Target, err.Error()
	switch {
	case strings.Contains(text, "SASL"), strings.Contains(text, "no supported auth mechanism"):
		return correctUser
	case errors.As(err, &cause) && cause.Condition == amqp.ErrCondUnauthorizedAccess && t.User == "":
		return correctUser
	case errors.As(err, &cause):
		return remedyForAddress(cause)
	case errors.Is(err, errRejected):
		return "the queue may be full: raise the broker's limit for it"
	case errors.Is(err, errReleased):
		return "create the queue, or see in the broker's log why it takes no messages"
	case errors.Is(err, context.DeadlineExceeded): // Artemis waits when TLS is expected at one side only
		return "no answer in time: is " + t.Scheme + " the scheme of this port, and does a firewall let it through?"
	case errors.Is(err, errHandshake):
		return "does the broker speak AMQP 1.0, and is " + t.Scheme + " the scheme of this port?"
	}
	return f.broker.WrongPort(err, errHandshake)
}

// remedyForAddress returns the remedy for an error of a broker other than RabbitMQ.
func remedyForAddress(cause *amqp.Error) string {
	switch cause.Condition {
	case amqp.ErrCondUnauthorizedAccess, amqp.ErrCondNotAllowed:
		return "permit the user to create, consume and send to this address"
	case amqp.ErrCondNotFound:
		return "create the queue, have the broker create queues when a client attaches, or correct the option address"
	case amqp.ErrCondMessageSizeExceeded:
		return "send smaller messages, or raise the broker's limit"
	case amqp.ErrCondPreconditionFailed:
		return "give the broker a store that keeps messages, or leave out persistent=true"
	case amqp.ErrCondResourceLimitExceeded:
		return "the broker limits connections, sessions, queues or what they hold: raise the limit"
	}
	return ""
}

// InForce returns the value in force of an option; "" if there is no such option.
func (p *Plain) InForce(name string) string { return p.f.InForce(name) }

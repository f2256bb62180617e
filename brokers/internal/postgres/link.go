package postgres

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/brokerbench/brokerbench/brokers/internal/leftover"
	"github.com/brokerbench/brokerbench/brokers/internal/transport"
	"github.com/brokerbench/brokerbench/brokers/target"
)

const (
	port       = "5432"
	mostNotify = 5999    // bytes that make less than 8000 in base64
	mostBytes  = 1 << 20 // of messages that are sent together
)

// A client is a connection of pgx.
type client struct {
	*pgx.Conn
	socket transport.Socket
}

// dial connects to the first host that answers. notified gets the text of each NOTIFY.
func (f *Factory) dial(ctx context.Context, number int, notified func(text string)) (*client, error) {
	d := transport.Dialer{Target: f.Target, Port: port, NoDelay: true}
	return target.Reach(f.Target.Addrs(port), number, func(addr string) (*client, error) {
		config, err := f.config(addr)
		if err != nil {
			return nil, err
		}
		config.OnNotification = func(_ *pgconn.PgConn, n *pgconn.Notification) { notified(n.Payload) }
		return transport.DialHost(ctx, d, addr, func(ctx context.Context, s transport.Socket, raw net.Conn) (*client, error) {
			var used atomic.Bool
			config.DialFunc = func(context.Context, string, string) (net.Conn, error) {
				if used.Swap(true) { // pgx asks the server to cancel what hangs, over a second connection
					return nil, net.ErrClosed
				}
				return raw, nil
			}
			c, err := pgx.ConnectConfig(ctx, config)
			var failed *pgconn.ConnectError
			if errors.As(err, &failed) { // which repeats user, host and database
				err = fmt.Errorf("shaking hands: %w", failed.Unwrap())
			}
			if err != nil {
				return nil, err
			}
			return &client{c, s}, nil
		})
	})
}

// config returns the settings of pgx: none is from the environment.
func (f *Factory) config(addr string) (*pgx.ConnConfig, error) {
	config, err := pgx.ParseConfig("host=localhost sslmode=disable")
	if err != nil {
		return nil, err
	}
	host, number, _ := net.SplitHostPort(addr)
	at, _ := strconv.ParseUint(number, 10, 16)
	config.Host, config.Port = host, uint16(at)
	config.User, config.Password, config.Database, config.Fallbacks = f.Target.User, f.Target.Password, f.Target.Path, nil
	config.ConnectTimeout, config.ValidateConnect = transport.DialTimeout, nil
	config.LookupFunc = func(_ context.Context, host string) ([]string, error) { return []string{host}, nil }
	config.RuntimeParams = map[string]string{"application_name": application(f.Run)}
	if f.options.commit != asServer {
		config.RuntimeParams["synchronous_commit"] = f.options.commit
	}
	if f.Target.Scheme == schemeTLS {
		var secure *tls.Config
		secure, err = f.options.tls.Config()
		if err == nil && secure.ServerName == "" {
			secure.ServerName = config.Host
		}
		config.TLSConfig = secure
	}
	return config, err
}

// application returns what the server calls the connections of a run.
func application(run string) string { return "brokerbench." + run }

// with calls do with a separate connection.
func (f *Factory) with(ctx context.Context, do func(*pgx.Conn) error) error {
	c, err := f.dial(ctx, 0, func(string) {})
	if err != nil {
		return err
	}
	defer c.end()
	return c.socket.During(ctx, func() error { return do(c.Conn) })
}

func (c *client) end() {
	c.socket.End(func() error { return c.Close(context.Background()) })
}

// A link is the two connections to PostgreSQL, from one disconnect to the next.
type link struct {
	transport.Work

	conn     *conn
	up, down *client // one sends, the other receives
	queue    *transport.SendQueue
	woken    bool                  // a NOTIFY came since the consumer looked; only its goroutine uses it
	why      atomic.Pointer[error] // why it was lost, or is closed; nil: it is not
}

// open makes a link. When it returns, the server announces messages to it.
func (c *conn) open(ctx context.Context) (*link, error) {
	l := &link{conn: c, queue: transport.NewSendQueue()}
	background := l.Begin(ctx)
	if err := l.connect(ctx); err != nil {
		l.Close(err)
		return nil, target.Because(ctx, err)
	}
	l.Go(func() { l.send(background) })
	l.Go(func() { l.receive(background) })
	return l, nil
}

func (l *link) connect(ctx context.Context) (err error) {
	f := l.conn.factory
	if l.down, err = f.dial(ctx, l.conn.number, l.notified); err != nil {
		return err
	}
	if f.options.poll == 0 {
		err = l.down.socket.During(ctx, func() error {
			_, err := l.down.Exec(ctx, "LISTEN "+quote(l.conn.from))
			return err
		})
	}
	if err == nil {
		l.up, err = f.dial(ctx, l.conn.number, func(string) {})
	}
	return err
}

// notified takes the text of a NOTIFY.
func (l *link) notified(text string) {
	l.woken = true
	if l.conn.factory.options.mode == notify {
		payload, err := base64.RawStdEncoding.DecodeString(text)
		if err != nil { // the engine counts it as corrupt
			payload = []byte(text)
		}
		l.conn.Deliver(payload)
	}
}

// lose notes that the link is lost.
func (l *link) lose(err error) {
	l.why.CompareAndSwap(nil, &err)
	l.Lose(err)
}

// Cut implements [transport.Link].
func (l *link) Cut() {
	for _, c := range []*client{l.up, l.down} {
		if c != nil {
			c.socket.Cut()
		}
	}
}

// Close implements [transport.Link].
func (l *link) Close(cause error) {
	l.why.CompareAndSwap(nil, &cause)
	l.Stop()
	l.queue.Fail(cause, l.conn.Failed)
	l.Wait()
	for _, c := range []*client{l.up, l.down} {
		if c != nil {
			l.Go(c.end)
		}
	}
	l.Wait()
}

var errTooLarge = errors.New("a NOTIFY takes no message so large")

// Send implements [transport.Link]: it queues a message.
func (l *link) Send(payload []byte) error {
	if l.conn.factory.options.mode == notify && len(payload) > mostNotify {
		return fmt.Errorf("%w: %d B, and %d B at most", errTooLarge, len(payload), mostNotify)
	}
	return l.queue.Add(payload)
}

// Probe implements [transport.Link]. No message is sent yet.
func (l *link) Probe(ctx context.Context, message []byte) error {
	return l.insert(ctx, l.conn.from, [][]byte{message})
}

// send sends what is queued, until ctx ends.
func (l *link) send(ctx context.Context) {
	var batch [][]byte
	for {
		batch = l.queue.NextBatch(ctx, batch[:0], l.conn.factory.options.sendBatch, mostBytes)
		if len(batch) == 0 {
			return
		}
		err := l.insert(ctx, l.conn.to, batch)
		cause := err
		if why := l.why.Load(); why != nil {
			cause = *why
		}
		for _, message := range batch {
			if err == nil {
				l.conn.Acked(message)
			} else {
				l.conn.Failed(message, cause)
			}
			l.queue.Reuse(message)
		}
		if l.up.IsClosed() {
			l.lose(err)
			return
		}
	}
}

// insert sends messages in one transaction, and waits until it is committed.
func (l *link) insert(ctx context.Context, name string, messages [][]byte) error {
	ctx, cancel := context.WithTimeout(ctx, l.conn.factory.options.timeout)
	defer cancel()
	sql := l.conn.factory.options.insert(name)
	if len(messages) == 1 {
		_, err := l.up.Exec(ctx, sql, l.argument(messages[0]))
		return err
	}
	batch := new(pgx.Batch)
	for _, message := range messages {
		batch.Queue(sql, l.argument(message))
	}
	return l.up.SendBatch(ctx, batch).Close()
}

// argument returns what a message is in SQL.
func (l *link) argument(message []byte) any {
	if l.conn.factory.options.mode == notify {
		return base64.RawStdEncoding.EncodeToString(message)
	}
	return message
}

// insert returns the statement that sends a message.
func (o *options) insert(name string) string {
	if o.mode == notify {
		return "SELECT pg_notify('" + name + "', $1)"
	}
	const row = "INSERT INTO %s (payload) VALUES ($1)"
	sql, with := fmt.Sprintf(row, quote(name)), ""
	if o.auditTable {
		with = "WITH kept AS (" + fmt.Sprintf(row, quote(name+leftover.Audit)) + ") "
	}
	switch {
	case o.poll > 0:
		return with + sql
	case with == "":
		return "WITH sent AS (" + sql + ") SELECT pg_notify('" + name + "', '')"
	}
	return with + ", sent AS (" + sql + ") SELECT pg_notify('" + name + "', '')"
}

// receive passes on what comes, until ctx ends.
func (l *link) receive(ctx context.Context) {
	for {
		n, err := l.look(ctx)
		if err == nil && n == 0 {
			err = l.wait(ctx)
		}
		if err != nil {
			l.lose(err)
			return
		}
	}
}

// look takes rows out of the table, and returns how many; or asks for a sign of life.
func (l *link) look(ctx context.Context) (int, error) {
	o := &l.conn.factory.options
	ctx, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	if o.mode == notify {
		return 0, l.down.Ping(ctx)
	}
	l.woken = false
	n := 0
	err := pgx.BeginFunc(ctx, l.down, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, fmt.Sprintf(take, quote(l.conn.from)), o.batch) // CollectRows has its error
		messages, err := pgx.CollectRows(rows, pgx.RowTo[[]byte])
		for _, message := range messages {
			l.conn.Deliver(message)
		}
		n = len(messages)
		return err
	})
	return n, err
}

// take is the statement that takes rows out of a table, in their order.
const take = `WITH taken AS (DELETE FROM %[1]s WHERE id = ANY(ARRAY(
	SELECT id FROM %[1]s ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED)) RETURNING id, payload)
	SELECT payload FROM taken ORDER BY id`

// wait waits until it is time to look again.
func (l *link) wait(ctx context.Context) error {
	o := &l.conn.factory.options
	if o.poll > 0 {
		select {
		case <-time.After(o.poll):
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	silent, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	for o.mode == notify || !l.woken {
		err := l.down.PgConn().WaitForNotification(silent)
		switch {
		case err != nil && ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded):
			return nil
		case err != nil:
			return err
		}
	}
	return nil
}

// Package postgres measures PostgreSQL as a queue, through github.com/jackc/pgx.
//
//	postgres://user:password@h1:5432,h2:5432/database?mode=table
//	postgres+tls://user:password@h:5432/database?tls-ca=ca.pem
//
// Each connection has two of PostgreSQL's: one sends, the other receives. A message is a transaction of its
// own, and the answer to its COMMIT is the acknowledgement. One connection of PostgreSQL carries one
// transaction at a time: messages that are due meanwhile wait in a queue, and that wait is a part of the latency.
//
// With mode=table a message is a row of a table, which NOTIFY announces, or which the consumer looks for (option
// poll). The consumer deletes rows that no other consumer has locked (FOR UPDATE SKIP LOCKED), passes them on, and
// commits: if the connection is lost before that, they come again. With mode=notify a message is the text of a
// NOTIFY itself, in base64, and no table is used.
//
// With audit-table=true the transaction of a message inserts it into a second table, too, which
// only the audit reads.
package postgres

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/brokerbench/brokerbench/brokers/internal/leftover"
	"github.com/brokerbench/brokerbench/brokers/internal/transport"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
)

// A Factory makes the connections to one target. It is safe for concurrent use.
type Factory struct {
	target.Base

	options options
	tables  transport.Set[*leftover.Shared]
}

// mostRun bounds the name of a run: those of tables have 63 bytes, and PostgreSQL cuts off the rest.
const mostRun = 39

// New returns the factory for a target. It does not connect. run becomes part of the names of tables and
// channels: no two runs on a database may share it.
func New(t target.Target, run string) (f *Factory, err error) {
	f = new(Factory)
	f.Base, err = target.Form{
		Broker: "postgres", Schemes: []string{scheme, schemeTLS}, Remedy: remedies.For,
		URL:     target.Refuse(len(run) > mostRun, "run %q: want %d characters at most, as names of tables have 63", run, mostRun),
		Define:  f.options.define,
		Check:   func() error { return f.options.check(t.Scheme == schemeTLS) },
		NoEcho:  func() error { return target.NoEcho(f.options.auditTable, "audit-table=true") },
		Durable: &f.options.durability,
	}.Read(t, run)
	return f, err
}

// A conn is one connection: a table, or a channel of NOTIFY. Both have the same name.
type conn struct {
	transport.Conn[*link]

	factory *Factory
	number  int
	to      string // name to which it sends
	from    string // name from which it receives
}

// New implements [requester.Factory].
func (f *Factory) New(number int, sink requester.Sink) (requester.Requester, error) {
	name := target.Name(f.Run, number)
	c := &conn{factory: f, number: number, to: f.To(name), from: f.From(name)}
	c.Init(sink, f.Explain, f.options.reconnectWait)
	c.Make, c.Open = f.makeTable, c.open
	if f.options.mode == table {
		s := &leftover.Shared{Made: leftover.Made{Kind: "table", Name: c.from, Delete: f.drop}}
		c.Shares = []*leftover.Shared{s}
		f.tables.Add(s)
	}
	return c, nil
}

// makeTable creates a table, and the one of the audit.
func (f *Factory) makeTable(ctx context.Context, s *leftover.Shared) error {
	err := f.with(ctx, func(c *pgx.Conn) error {
		if err := tooOld(c.PgConn().ParameterStatus("server_version")); err != nil {
			return err
		}
		const create = "CREATE TABLE %s (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, payload bytea NOT NULL);"
		sql := fmt.Sprintf(create, quote(s.Name))
		if f.options.auditTable {
			sql += fmt.Sprintf(create, quote(s.Name+leftover.Audit))
		}
		_, err := c.PgConn().Exec(ctx, sql).ReadAll() // both or none
		s.Set(code(err) != duplicateTable && code(err) != noRights)
		return err
	})
	return f.Explain("creating table "+s.Name, err)
}

// oldest is the first version with identity columns.
const oldest = 10

var errOld = errors.New("has no identity columns")

// tooOld returns an error for a version of PostgreSQL, such as 9.6.24, that is older than the oldest.
func tooOld(version string) error {
	major, _, _ := strings.Cut(version, ".")
	if n, err := strconv.Atoi(major); err == nil && n < oldest {
		return fmt.Errorf("PostgreSQL %s %w", version, errOld)
	}
	return nil
}

// drop drops a table, and the one of the audit. One that is gone is no error.
func (f *Factory) drop(ctx context.Context, name string) error {
	err := f.with(ctx, func(c *pgx.Conn) error {
		_, err := c.Exec(ctx, fmt.Sprintf("DROP TABLE IF EXISTS %s, %s", quote(name), quote(name+leftover.Audit)))
		return err
	})
	return f.Explain("dropping table "+name, err)
}

// quote returns a name as SQL has it.
func quote(name string) string { return pgx.Identifier{name}.Sanitize() }

// Traits implements [requester.Requester].
func (c *conn) Traits() requester.Traits { return requester.Traits{Acknowledges: true} }

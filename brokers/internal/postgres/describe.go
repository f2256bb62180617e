package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/brokerbench/brokerbench/brokers/internal/leftover"
	"github.com/brokerbench/brokerbench/brokers/internal/transport"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
)

const clientModule = "github.com/jackc/pgx/v5"

// Codes of PostgreSQL's errors.
const (
	duplicateTable = "42P07"
	noTable        = "42P01"
	noRights       = "42501"
)

// code returns the code of an error of the server's; "" if it is none.
func code(err error) string {
	var said *pgconn.PgError
	if errors.As(err, &said) {
		return said.Code
	}
	return ""
}

// Describe implements [requester.Describer].
func (f *Factory) Describe(ctx context.Context) (requester.Description, error) {
	d := f.Description("PostgreSQL", clientModule, "")
	server := make(map[string]string)
	err := f.with(ctx, func(c *pgx.Conn) error {
		for _, name := range []string{"server_version", "fsync", "full_page_writes", "synchronous_commit", "synchronous_standby_names", "wal_sync_method"} {
			var value string
			if err := c.QueryRow(ctx, "SELECT current_setting($1)", name).Scan(&value); err != nil {
				return err
			}
			if server[name] = value; name != "server_version" {
				d.Settings = append(d.Settings, requester.Setting{Name: "server-" + name, Value: value, Doc: "what SHOW " + name + " says"})
			}
		}
		return nil
	})
	if err != nil {
		return d, f.Explain("connecting", err)
	}
	d.Version = server["server_version"]
	d.Durability, err = f.options.durability.Back(f.options.backs(), limits(server)...)
	return d, f.Explain("asking for what backs durability", err)
}

// limits returns what the settings of the server say about durability.
func limits(server map[string]string) (limits []target.Limit) {
	add := func(name, value string, level requester.Durability, remedy string) {
		if server[name] == value {
			limits = append(limits, target.Limit{Level: level, Because: name + " is " + value, Remedy: remedy})
		}
	}
	add("synchronous_commit", "off", requester.Accepted, "set synchronous_commit, or the option synchronous-commit=on")
	add("synchronous_commit", "local", requester.Machine, "set synchronous_commit, or the option synchronous-commit=on")
	add("fsync", "off", requester.Process, "set fsync=on in postgresql.conf")
	add("full_page_writes", "off", requester.Process, "set full_page_writes=on in postgresql.conf")
	if server["synchronous_standby_names"] == "" {
		limits = append(limits, target.Limit{Level: requester.Machine, Because: "synchronous_standby_names is empty", Remedy: "name a standby in synchronous_standby_names"})
	}
	return limits
}

// Audit implements [requester.Auditor].
func (f *Factory) Audit(ctx context.Context, kept func(payload []byte)) error {
	if !f.options.auditTable {
		return fmt.Errorf("%w: %w", errNoAudit, requester.ErrKeepsNothing)
	}
	return f.with(ctx, func(c *pgx.Conn) error {
		for _, table := range f.tables.All() {
			if !table.There() {
				continue
			}
			rows, _ := c.Query(ctx, "SELECT payload FROM "+quote(table.Name+leftover.Audit)) // ForEachRow has its error
			var payload []byte
			_, err := pgx.ForEachRow(rows, []any{&payload}, func() error {
				if len(payload) >= requester.StampSize { // no probe
					kept(payload)
				}
				return nil
			})
			if code(err) == noTable {
				err = fmt.Errorf("%w: %w", requester.ErrStoreGone, err)
			}
			if err != nil {
				return f.Explain("reading table "+table.Name+leftover.Audit, target.Because(ctx, err))
			}
		}
		return nil
	})
}

var errNoAudit = errors.New("consumers take messages out of the table: an audit takes audit-table=true")

// Left implements [requester.Sweeper].
func (f *Factory) Left() []string { return transport.Left(&f.tables) }

// Find implements [requester.Sweeper]. A table is in use while a run of its name is connected, or rows are
// inserted.
func (f *Factory) Find(ctx context.Context, q requester.LeftoverQuery) (found []requester.Leftover, _ string, err error) {
	connected := make(map[string]bool)
	err = f.with(ctx, func(c *pgx.Conn) error {
		found, err = leftover.Watch(ctx, "table", func() (map[string]leftover.Seen, error) {
			seen := make(map[string]leftover.Seen)
			rows, _ := c.Query(ctx, `SELECT relname, n_tup_ins::text, EXISTS (SELECT FROM pg_stat_activity WHERE pid <> pg_backend_pid()
				AND application_name = regexp_replace(relname, '(\.[0-9]+)(\.audit|\.back)?$', ''))
				FROM pg_stat_user_tables WHERE schemaname = current_schema() AND relname LIKE 'brokerbench.%'`)
			var name, inserted string
			var open bool
			_, err := pgx.ForEachRow(rows, []any{&name, &inserted, &open}, func() error {
				if leftover.Wants(q, name) {
					seen[name] = leftover.Seen{State: inserted}
					connected[name] = connected[name] || open
				}
				return nil
			})
			return seen, err
		})
		return err
	})
	for i := range found {
		if connected[found[i].Name] {
			found[i].Busy = "its run is connected"
		}
	}
	return found, "", f.Explain("looking for tables", err)
}

// Remove implements [requester.Sweeper].
func (f *Factory) Remove(ctx context.Context, leftovers []requester.Leftover) (errs []error) {
	for _, l := range leftovers {
		errs = append(errs, f.drop(ctx, l.Name))
	}
	return errs
}

var remedies = target.Remedies{
	{Text: "SQLSTATE 28P01", Remedy: "correct user and password in the URL"},
	{Text: "no PostgreSQL user name", Remedy: "put the user into the URL"},
	{Text: "SQLSTATE 28000", Remedy: "correct the user in the URL, or permit it in pg_hba.conf; does the server want postgres+tls://?"},
	{Text: "SQLSTATE 3D000", Remedy: "correct the database, which is the path of the URL"},
	{Text: "SQLSTATE " + noRights, Remedy: "GRANT the user CREATE on the schema, or name another database"},
	{Text: "SQLSTATE 53300", Remedy: "raise max_connections, or use fewer connections: each takes two"},
	{Text: "SQLSTATE 57P0", Remedy: "the server stops or starts: look into its log"},
	{Text: "SQLSTATE " + noTable, Remedy: "somebody dropped the table: run again"},
	{Text: "SQLSTATE " + duplicateTable, Remedy: "run again; or is it left? `brokerbench clean` removes it"},
	{Err: errOld, Remedy: fmt.Sprintf("use version %d or later, or mode=notify", oldest)},
	{Err: errTooLarge, Remedy: "send smaller messages, or use mode=table"},
	{Text: "server refused TLS", Remedy: "use postgres://, or start the server with ssl=on"},
	{Text: "failed to receive message", Remedy: "is it PostgreSQL, and its port?"},
	{Err: transport.ErrNotBack, Remedy: "look into the log of the server"},
	{Err: transport.ErrQueueFull, Remedy: "the server commits too little: lower the rate, use more connections, or raise send-batch"},
	{Err: requester.ErrStoreGone, Remedy: "somebody dropped the table"},
}

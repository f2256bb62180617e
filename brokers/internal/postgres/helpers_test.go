package postgres

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/internal/leaf/relay"
	"github.com/brokerbench/brokerbench/requester/requestertest"
)

// Open returns the factory for the target at rawURL.
func Open(rawURL, run string) (*Factory, error) { return brokertest.Open("postgres", rawURL, run, New) }

// running returns a factory for the running server.
func running(t testing.TB, options string) *Factory {
	t.Helper()
	return factory(t, brokertest.URL(t, "POSTGRES"), options)
}

// factory returns a factory for a URL, with the options added to it.
func factory(t testing.TB, rawURL, options string) *Factory {
	t.Helper()
	return brokertest.Opened(t, Open, rawURL, options)
}

// behind returns a factory for the running server behind a proxy.
func behind(t testing.TB, options string) (*Factory, *relay.Relay) {
	t.Helper()
	return brokertest.Behind(t, Open, brokertest.URL(t, "POSTGRES"), options)
}

// through connects to the running server behind a proxy.
func through(t testing.TB, options string) (*requestertest.Link, *relay.Relay) {
	t.Helper()
	f, p := behind(t, options)
	return requestertest.Connect(t, f, 0), p
}

// execute executes a statement on the running server.
func execute(t testing.TB, sql string) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context()) // in a cleanup it has ended
	err := running(t, "").with(ctx, func(c *pgx.Conn) error {
		_, err := c.Exec(ctx, sql)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// count returns what the running server answers to a question for a number.
func count(t testing.TB, sql string) (n int) {
	t.Helper()
	err := running(t, "").with(t.Context(), func(c *pgx.Conn) error { return c.QueryRow(t.Context(), sql).Scan(&n) })
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// tablesOf returns how many tables of a run are there.
func tablesOf(t testing.TB, f *Factory) int {
	t.Helper()
	return count(t, "SELECT count(*) FROM pg_tables WHERE starts_with(tablename, '"+application(f.Run)+".')")
}

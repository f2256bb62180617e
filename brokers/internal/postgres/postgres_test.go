package postgres

import (
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/requestertest"
)

// Options that change the way of a message. The conformance suite has larger messages than NOTIFY takes.
var (
	tables = []string{"", "poll=1ms&batch=7&send-batch=2", "audit-table=true&send-batch=50", "audit-table=true&poll=5ms&send-batch=500"}
	kinds  = slices.Concat(tables, []string{"mode=notify", "mode=notify&send-batch=50"})
)

func TestConformance(t *testing.T) {
	brokertest.Kinds(t, tables, running)
	brokertest.TLS(t, factory(t, brokertest.URL(t, "POSTGRES_TLS"), ""))
}

func TestOrder(t *testing.T) {
	for _, options := range kinds {
		brokertest.WantAcknowledges(t, running(t, options), true)
		brokertest.KeepsOrder(t, running(t, options))
	}
}

func TestLargeMessages(t *testing.T) {
	requestertest.Connect(t, running(t, ""), 0).RoundTrips(t, 16, 1<<10, 200_000, 8<<20)
}

// What NOTIFY takes at most goes through, and a byte more is refused by us, and by PostgreSQL.
func TestLargestNotify(t *testing.T) {
	f := running(t, "mode=notify")
	l := requestertest.Connect(t, f, 0)
	l.RoundTrips(t, 16, mostNotify-1, mostNotify)
	err := l.Request(t.Context(), requestertest.Payload(0, 9, mostNotify+1))
	brokertest.WantFault(t, err, "publishing", "6000 B, and 5999 B at most", "mode=table")
	queue := l.Requester.(*conn)
	link, _ := queue.Current()
	if err := link.queue.Add(requestertest.Payload(0, 10, mostNotify+1)); err != nil {
		t.Fatal(err)
	}
	l.WantFailure(t, "payload string too long")
	l.RoundTrip(t, requestertest.Payload(0, 11, 100))
	l.End(t)
	for _, l := range requestertest.ConnectionsDoNotCross(t, f, 3) {
		l.End(t)
	}
}

func TestTeardownLeavesNothing(t *testing.T) {
	requestertest.TeardownLeavesNothing(t, running(t, "mode=notify"), nil)
	f := running(t, "audit-table=true")
	requestertest.TeardownLeavesNothing(t, f, func(*requestertest.Link) bool { return tablesOf(t, f) == 0 })
	l := requestertest.Connect(t, f, 0)
	if n := tablesOf(t, f); n != 2 || len(f.Left()) == 0 {
		t.Errorf("%d tables, %v", n, f.Left())
	}
	l.End(t)
	if n := tablesOf(t, f); n != 0 || len(f.Left()) > 0 {
		t.Errorf("%d tables, %v", n, f.Left())
	}
}

// Messages that wait share a transaction with send-batch, and otherwise do not. 500 of them cannot all be sent before the
// second is queued.
func TestSendBatch(t *testing.T) {
	for options, together := range map[string]bool{"send-batch=100&audit-table=true": true, "audit-table=true": false} {
		l := requestertest.Connect(t, running(t, options), 0)
		for seq := range uint64(500) {
			l.Send(t, requestertest.Payload(0, seq, 100))
		}
		for range 500 {
			l.Next(t)
		}
		n := count(t, "SELECT count(DISTINCT xmin::text) FROM "+quote(l.Requester.(*conn).to+".audit"))
		if n > 501 || together && n > 250 || !together && n != 501 { // with the probe
			t.Errorf("%s: %d transactions", options, n)
		}
	}
}

func TestRequestOutsideOfSetupAndTeardown(t *testing.T) {
	brokertest.RequestNeedsSetup(t, running(t, ""))
}

func TestSecondHostIsTriedWhenTheFirstIsDown(t *testing.T) {
	url := brokertest.URL(t, "POSTGRES")
	host := brokertest.HostOf(t, url)
	requestertest.Connect(t, factory(t, strings.Replace(url, host, "127.0.0.1:1,"+host, 1), ""), 0).RoundTrip(t, requestertest.Payload(0, 0, 100))
}

func TestTwoHops(t *testing.T) {
	for _, options := range []string{"", "mode=notify"} {
		callers, far := running(t, options), running(t, options)
		far.Run = callers.Run
		brokertest.TwoHops(t, callers, far, 256, true)
	}
	brokertest.NoEcho(t, running(t, "audit-table=true"), "audit-table=true")
}

func TestGroupsAreRefused(t *testing.T) {
	_, err := requester.Arrange(running(t, ""), requester.Topology{Topics: 1, Groups: 1, Members: 1})
	brokertest.WantError(t, err, "cannot have groups of consumers yet")
}

func TestDescribe(t *testing.T) {
	synced := map[string]requester.Durability{"on": requester.Machine, "off": requester.Process}
	for _, options := range []string{"synchronous-commit=on", "synchronous-commit=local", "synchronous-commit=off", "mode=notify&synchronous-commit=on"} {
		d, err := running(t, options).Describe(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		level := synced[value(d, "server-fsync")]
		if strings.HasPrefix(options, "mode") || strings.HasSuffix(options, "off") {
			level = requester.Accepted
		}
		if d.Product != "PostgreSQL" || d.Version == "" || !strings.HasPrefix(d.Client, clientModule) || d.Durability == nil || d.Durability.Level != level {
			t.Errorf("%s: %+v, %+v", options, d, d.Durability)
		}
		_, commit, _ := strings.Cut(options, "synchronous-commit=")
		brokertest.WantSettings(t, d.Settings, map[string]string{"batch": "100", "server-synchronous_commit": commit})
	}
	_, err := running(t, "durability=node").Describe(t.Context())
	brokertest.WantFault(t, err, "synchronous_standby_names is empty", "at most", "name a standby")
	brokertest.DescribeExplains(t, factory(t, "postgres://u:geheim@"+brokertest.Refusing(t), ""))
}

// value returns that of a setting.
func value(d requester.Description, name string) string {
	for _, s := range d.Settings {
		if s.Name == name {
			return s.Value
		}
	}
	return ""
}

func TestDurabilityOfTheServer(t *testing.T) {
	good := map[string]string{"synchronous_commit": "on", "fsync": "on", "full_page_writes": "on", "synchronous_standby_names": "s1"}
	for change, level := range map[string]requester.Durability{
		"": requester.Node, "synchronous_commit=off": requester.Accepted, "synchronous_commit=local": requester.Machine,
		"fsync=off": requester.Process, "full_page_writes=off": requester.Process, "synchronous_standby_names=": requester.Machine,
	} {
		server := make(map[string]string)
		for name, value := range good {
			server[name] = value
		}
		if name, value, ok := strings.Cut(change, "="); ok {
			server[name] = value
		}
		o := options{mode: table, commit: asServer}
		b, err := o.durability.Back(o.backs(), limits(server)...)
		if err != nil || b.Level != level {
			t.Errorf("%s: %+v, %v", change, b, err)
		}
	}
}

func TestOptionsAreChecked(t *testing.T) {
	brokertest.OpenRefuses(t, Open, "postgres", map[string][]string{
		"postgres":                                              {"scheme"},
		"postgres://h?batch=0&send-batch=0":                     {"option batch", "option send-batch"},
		"postgres://h?mode=notify&poll=1s":                      {"poll needs mode=table"},
		"postgres://h?poll=1us":                                 {"poll"},
		"postgres://h?timeout=1ms":                              {"timeout"},
		"postgres://h?reconnect-wait=0s":                        {"reconnect-wait"},
		"postgres://h?tls-insecure=true":                        {"tls-*", "postgres+tls"},
		"postgres://h?synchronous-commit=maybe":                 {"want server, off, local, on"},
		"postgres://h?mode=notify&audit-table=true":             {"audit-table=true needs mode=table"},
		"postgres://h?durability=process&mode=notify":           {"durability=process", "accepted at most"},
		"postgres://h?durability=node&synchronous-commit=local": {"durability=node", "machine at most"},
	})
	brokertest.LevelsOpen(t, Open, "postgres://h", Levels())
	brokertest.OpenRefusesRuns(t, Open, "postgres://h")
	_, err := Open("postgres://h", strings.Repeat("r", mostRun+1))
	brokertest.WantError(t, err, "39 characters at most")
	if name := target.Name(strings.Repeat("r", mostRun), 99999) + ".audit"; len(name) > 63 {
		t.Errorf("%q has %d bytes", name, len(name))
	}
}

func TestSetupExplains(t *testing.T) {
	host, secure := brokertest.HostOf(t, brokertest.URL(t, "POSTGRES")), brokertest.URL(t, "POSTGRES_TLS")
	user := fmt.Sprintf("norights%d", time.Now().UnixNano())
	execute(t, "CREATE ROLE "+user+" LOGIN PASSWORD 'geheim'")
	t.Cleanup(func() { execute(t, "DROP ROLE "+user) })
	t.Run("all", func(t *testing.T) {
		brokertest.SetupExplains(t, Open, map[string][]string{
			"refused":      {"postgres://u:geheim@" + brokertest.Refusing(t), "connection refused", "start the broker"},
			"password":     {strings.Replace(secure, "s3cret", "geheim", 1), "password authentication failed", "correct user and password"},
			"no user":      {"postgres://" + host, "no PostgreSQL user name", "put the user into the URL"},
			"database":     {"postgres://postgres@" + host + "/nowhere", `database "nowhere" does not exist`, "correct the database"},
			"no rights":    {"postgres://" + user + ":geheim@" + host + "/postgres", "creating table", "permission denied for schema public", "GRANT"},
			"authority":    {"postgres+tls://bench:geheim@" + host + "/postgres", "certificate", "tls-ca"},
			"no TLS there": {"postgres+tls://u:geheim@" + brokertest.Accept(t, noTLS), "refused TLS", "use postgres://"},
			"another kind": {"postgres://u:geheim@" + brokertest.Accept(t, badRequest), "shaking hands", "is it PostgreSQL"},
		})
	})
}

// noTLS is how a server without TLS answers.
func noTLS(c net.Conn) { _, _ = c.Write([]byte("N")) }

// badRequest is what a web server says.
func badRequest(c net.Conn) {
	_, _ = io.WriteString(c, "HTTP/1.1 400 Bad Request\r\n\r\n")
	_ = c.Close()
}

// The server says which version it is as a connection begins. Other systems that speak its protocol may say something else.
func TestAnOldVersion(t *testing.T) {
	server := brokertest.Accept(t, func(c net.Conn) {
		b := pgproto3.NewBackend(c, c)
		if _, err := b.ReceiveStartupMessage(); err != nil {
			t.Error(err)
		}
		b.Send(&pgproto3.AuthenticationOk{})
		b.Send(&pgproto3.ParameterStatus{Name: "server_version", Value: "9.6.24"})
		b.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
		_ = b.Flush()
		_, _ = b.Receive()
	})
	err := requestertest.NewLink(t, factory(t, "postgres://u:geheim@"+server, ""), 0).Begin()
	brokertest.WantFault(t, err, "creating table", "PostgreSQL 9.6.24 has no identity columns", "use version 10 or later")
	for _, version := range []string{"10.0", "15.3 (Debian 15.3-1)", "", "CockroachDB"} {
		if err := tooOld(version); err != nil {
			t.Errorf("%q: %v", version, err)
		}
	}
}

// A table that is there already is another run's, and stays.
func TestTableOfAnotherRun(t *testing.T) {
	f := running(t, "")
	l := requestertest.Connect(t, f, 0)
	other, err := Open(brokertest.URL(t, "POSTGRES"), f.Run)
	if err != nil {
		t.Fatal(err)
	}
	again := requestertest.NewLink(t, other, 0)
	brokertest.WantFault(t, again.Begin(), "already exists", "brokerbench clean")
	again.End(t)
	l.RoundTrip(t, requestertest.Payload(0, 0, 100))
}

package postgres

import (
	"errors"
	"time"

	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
)

const (
	scheme    = "postgres"
	schemeTLS = "postgres+tls"

	table, notify = "table", "notify" // modes
	asServer      = "server"          // synchronous-commit: as the server is configured
)

// options are the options of a target, as its URL gives them.
type options struct {
	mode          string
	commit        string
	batch         int
	sendBatch     int
	poll          time.Duration
	auditTable    bool
	timeout       time.Duration
	reconnectWait time.Duration
	tls           target.TLS
	durability    target.Durable
}

// define adds every option to set, with its default.
func (o *options) define(set target.Options) {
	set.Choice(&o.mode, "mode", table, []string{table, notify}, "how a message travels: as a row of a table, or as the text of a NOTIFY, of 5999 B at most")
	set.Choice(&o.commit, "synchronous-commit", asServer, []string{asServer, "off", "local", "on"}, "what COMMIT waits for (synchronous_commit): nothing; the write-ahead log of this server; that of standbys, too; server: as the server is configured")
	set.IntVar(&o.batch, "batch", 100, "rows that the consumer takes at once, at most")
	set.IntVar(&o.sendBatch, "send-batch", 1, "messages that wait and are sent together, in one transaction, at most")
	set.DurationVar(&o.poll, "poll", 0, "how long the consumer waits before it looks into an empty table again; 0: until a NOTIFY")
	set.BoolVar(&o.auditTable, "audit-table", false, "insert each message into a second table in the same transaction, from which the audit reads back what the server kept")
	set.DurationVar(&o.timeout, "timeout", 15*time.Second, "silence after which the server is asked for a sign of life, and how long any answer may take before the connection is given up")
	set.DurationVar(&o.reconnectWait, "reconnect-wait", 100*time.Millisecond, "pause before each attempt to reconnect")
	o.tls.Define(set)
	o.durability.Define(set, Levels())
}

// check reports every option with a bad value, and options that contradict each other, at once.
func (o *options) check(encrypted bool) error {
	return errors.Join(
		target.Between("batch", o.batch, 1, 1<<20),
		target.Between("send-batch", o.sendBatch, 1, 1<<16),
		target.Between("poll", o.poll, time.Millisecond, time.Minute, 0),
		target.Between("timeout", o.timeout, 100*time.Millisecond, time.Hour),
		target.Between("reconnect-wait", o.reconnectWait, time.Millisecond, time.Minute),
		target.Refuse(o.mode == notify && o.auditTable, "option audit-table=true needs mode=table: of NOTIFY the server keeps nothing"),
		target.Refuse(o.mode == notify && o.poll > 0, "option poll needs mode=table"),
		o.tls.Check(encrypted, schemeTLS),
		o.durability.Check(o.backs()),
	)
}

// backs returns the most that the options allow.
func (o *options) backs() requester.Durability {
	switch {
	case o.mode == notify || o.commit == "off":
		return requester.Accepted
	case o.commit == "local":
		return requester.Machine
	}
	return requester.Node
}

// Options returns every option with its default and a line of documentation.
func Options(string) []requester.Setting {
	return target.NewOptions("postgres", new(options).define).Settings()
}

// Levels returns how PostgreSQL keeps each level of durability.
func Levels() []target.Level {
	const asked = "SHOW"
	return []target.Level{
		{Durability: requester.None, Note: "PostgreSQL answers every transaction"},
		{Durability: requester.Accepted, Options: "synchronous-commit=off", Note: "COMMIT does not wait for the write-ahead log; mode=notify is at this level, whatever the settings"},
		{Durability: requester.Process, Options: "synchronous-commit=local", Note: "the log is with the kernel before COMMIT is answered, even with fsync=off"},
		{Durability: requester.Machine, Options: "synchronous-commit=local", Server: "fsync=on, full_page_writes=on", Asked: asked, Note: "the log is on disk before COMMIT is answered"},
		{Durability: requester.Node, Options: "synchronous-commit=on", Server: "synchronous_standby_names", Asked: asked, Note: "a standby has the log on disk, too"},
	}
}

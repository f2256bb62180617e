package redis

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/requester/requestertest"
	"github.com/redis/go-redis/v9"
)

// modes are the options of streams.
var modes = []string{"stream=read", "stream=group", "stream=read&protocol=3", "stream=group&protocol=3&max-len=1000000"}

func TestStreamConformance(t *testing.T) {
	targets(t, func(t *testing.T, url string) {
		brokertest.Kinds(t, modes, func(t testing.TB, mode string) *Factory { return openURL(t, brokertest.With(url, mode)) })
	})
}

// keys returns how many a server has.
func keys(t testing.TB, f *Factory) (n int64) {
	t.Helper()
	return do(t, f, "DBSIZE").(int64)
}

func TestStreamTeardownLeavesNothing(t *testing.T) {
	for _, mode := range modes[:2] {
		f := openURL(t, serve(t).url("", "?"+mode))
		requestertest.TeardownLeavesNothing(t, f, func(*requestertest.Link) bool { return keys(t, f) == 0 && connected(t, f) == 0 })
	}
}

// replicated starts a server with a replica that is in step: it has acknowledged a
// write.
func replicated(t *testing.T) (b, replica *broker) {
	t.Helper()
	b = serve(t, "--repl-diskless-sync-delay", "0")
	replica = serve(t, "--replicaof", "127.0.0.1 "+b.port)
	f := openURL(t, b.url("", ""))
	requestertest.Until(t, "the replica is online", func() bool {
		return strings.Contains(do(t, f, "INFO|replication").(string), "state=online")
	})
	requestertest.Connect(t, openURL(t, b.url("", "?stream=read&wait-replicas=1&wait-timeout=20s")), 0).End(t)
	return b, replica
}

func TestEachMessageWaitsForAReplica(t *testing.T) {
	b, _ := replicated(t)
	f := openURL(t, b.url("", "?stream=group&wait-replicas=1"))
	brokertest.WantAcknowledges(t, f, true)
	requestertest.Run(t, f)
}

func TestEachMessageWaitsForTheDisk(t *testing.T) {
	b := serve(t, "--appendonly", "yes", "--appendfsync", "always")
	f := openURL(t, b.url("", ""))
	if !strings.Contains(fmt.Sprint(do(t, f, "COMMAND|INFO|waitaof")), "waitaof") {
		t.Skip("this server has no WAITAOF: Redis 7.2 has")
	}
	requestertest.Run(t, openURL(t, b.url("", "?stream=read&wait-fsync=true")))
	brokertest.SetupExplains(t, Open, map[string][]string{
		"no file": {serve(t).url("", "?stream=read&wait-fsync=true"), "creating stream", "WAITAOF", "appendonly yes"},
	})
}

// A message that too few replicas have in time has failed; it is not acknowledged, and
// the connection goes on.
func TestTooFewReplicasIsAFailure(t *testing.T) {
	b, replica := replicated(t)
	l := requestertest.Connect(t, openURL(t, b.url("", "?stream=read&wait-replicas=1&wait-timeout=500ms")), 0)
	l.RoundTrip(t, requestertest.Payload(0, 0, 100))
	replica.halt()
	for seq := range uint64(3) {
		l.Send(t, requestertest.Payload(0, seq, 100))
	}
	for range 3 {
		l.WantFailure(t, "too few replicas have it", "0 of 1", "wait-replicas")
	}
}

// A message that the server refuses has failed, with its reason, and so has one whose
// stream is gone.
func TestARefusedMessageHasFailed(t *testing.T) {
	b := serve(t)
	f := openURL(t, b.url("", ""))
	do(t, f, "ACL|SETUSER|u|on|>richtig|allkeys|allchannels|+@all")
	for name, c := range map[string]struct {
		command string
		says    []string
	}{
		"out of memory": {"CONFIG|SET|maxmemory|1", []string{"OOM", "raise its maxmemory"}},
		"not allowed":   {"ACL|SETUSER|u|-xadd", []string{"NOPERM", "the user must be allowed"}},
		"removed":       {"FLUSHALL", []string{"the stream is gone", "somebody removed it"}},
	} {
		l := requestertest.Connect(t, openURL(t, b.url("u:richtig@", "?stream=read")), 0)
		do(t, f, c.command)
		l.Send(t, requestertest.Payload(0, 7, 100))
		if failed := l.WantFailure(t, c.says...); failed.Stamp.Seq != 7 {
			t.Errorf("%s: message %d has failed", name, failed.Stamp.Seq)
		}
		do(t, f, "CONFIG|SET|maxmemory|0")
		do(t, f, "ACL|SETUSER|u|+xadd")
		l.End(t)
	}
}

func TestStreamSetupExplains(t *testing.T) {
	b := serve(t)
	replica := serve(t, "--replicaof", "127.0.0.1 "+b.port)
	f := openURL(t, b.url("", ""))
	do(t, f, "ACL|SETUSER|mute|on|>richtig|allkeys|+@all|-xadd")
	do(t, f, "ACL|SETUSER|deaf|on|>richtig|allkeys|+@all|-xread")
	do(t, f, "ACL|SETUSER|fenced|on|>richtig|~mine.*|+@all")
	brokertest.SetupExplains(t, Open, map[string][]string{
		"may not add":    {b.url("mute:richtig@", "?stream=read"), "creating stream brokerbench.", "NOPERM", "XADD"},
		"may not read":   {b.url("deaf:richtig@", "?stream=read"), "reading from stream brokerbench.", "NOPERM", "XREAD"},
		"no such keys":   {b.url("fenced:richtig@", "?stream=group"), "NOPERM", "the keys brokerbench.*"},
		"a replica":      {replica.url("", "?stream=read"), "READONLY", "name the master"},
		"no replica":     {b.url("", "?stream=read&wait-replicas=7&wait-timeout=50ms"), "too few replicas", "of 7", "start its replicas"},
		"no WAITAOF":     {b.url("", "?stream=read&wait-fsync=true"), "creating stream", "wait-fsync"},
		"nothing at all": {"redis://" + brokertest.Refusing(t) + "?stream=group", "creating stream", "connection refused", "start the broker"},
	})
	requestertest.Until(t, "failed set-ups have removed their streams", func() bool { return keys(t, f) == 0 })
}

// A key that is there already is left as it is.
func TestAKeyThatExistsIsLeftAlone(t *testing.T) {
	b := serve(t)
	f := openURL(t, b.url("", "?stream=group"))
	do(t, f, "SET|"+f.channel(0)+"|precious")
	l := requestertest.NewLink(t, f, 0)
	brokertest.WantFault(t, l.Begin(), "creating stream", "there already", "clean")
	l.End(t)
	if got := do(t, f, "GET|"+f.channel(0)); got != "precious" {
		t.Errorf("the key is %v", got)
	}
}

// TestStreamReconnect kills a server that keeps nothing, and starts it again.
func TestStreamReconnect(t *testing.T) {
	for _, mode := range modes[:2] {
		b := serve(t)
		l := requestertest.Connect(t, openURL(t, b.url("", "?"+mode)), 0)
		brokertest.ComesBack(t, l, b.halt, func() { b.start(t) },
			[]string{"publisher disconnected: ", "consumer disconnected: ", "connection refused"},
			[]string{"publisher reconnected after ", "consumer reconnected after "})
		l.End(t)
		if n := keys(t, openURL(t, b.url("", ""))); n != 0 {
			t.Errorf("%s: %d keys are left", mode, n)
		}
	}
}

// What could not be removed is said.
func TestAStreamThatStaysIsSaid(t *testing.T) {
	b := serve(t)
	f := openURL(t, b.url("", "?stream=read"))
	l := requestertest.NewLink(t, f, 0)
	if err := l.Begin(); err != nil {
		t.Fatal(err)
	}
	b.halt()
	brokertest.WantFault(t, l.TryEnd(), "connecting", "connection refused")
	if left := f.Left(); len(left) != 1 || left[0] != "stream "+f.channel(0) {
		t.Errorf("left: %q", left)
	}
	b.start(t)
	l.End(t)
	if left := f.Left(); len(left) != 0 {
		t.Errorf("left: %q", left)
	}
}

// What a consumer had taken and not acknowledged when its connection broke comes again.
func TestWhatWasNotAcknowledgedComesAgain(t *testing.T) {
	b := serve(t)
	f := openURL(t, b.url("", "?stream=group"))
	l := requestertest.Connect(t, f, 0)
	l.RoundTrip(t, requestertest.Payload(0, 0, 100))
	requestertest.Until(t, "XACK", func() bool { return pendingOf(t, f) == 0 })
	c := l.Requester.(*conn)
	do(t, f, "XGROUP|DELCONSUMER|"+c.channel+"|"+group+"|"+group)
	do(t, f, "XGROUP|SETID|"+c.channel+"|"+group+"|0")
	do(t, f, "XREADGROUP|GROUP|"+group+"|"+group+"|STREAMS|"+c.channel+"|>") // as if it were the consumer
	do(t, f, "CLIENT|KILL|TYPE|normal|SKIPME|yes")
	l.Want(t, requestertest.Payload(0, 0, 100))
	requestertest.Until(t, "XACK", func() bool { return pendingOf(t, f) == 0 })
}

// pendingOf returns how many messages the group of connection 0 has not acknowledged.
func pendingOf(t testing.TB, f *Factory) (n int64) {
	t.Helper()
	err := f.with(t.Context(), "asking", func(client *redis.Client) error {
		p, err := client.XPending(t.Context(), f.channel(0), group).Result()
		if err == nil {
			n = p.Count
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestDescribeSaysWhatTheServerKeeps(t *testing.T) {
	d, err := openURL(t, serve(t, "--appendonly", "yes", "--appendfsync", "always").url("", "?stream=read")).Describe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	brokertest.WantSettings(t, d.Settings, map[string]string{
		"stream": "read", "server-appendonly": "yes", "server-appendfsync": "always", "server-save": "", "server-replicas": "0",
	})
}

func TestWaited(t *testing.T) {
	for _, tt := range []struct {
		fsync    bool
		replicas int
		reply    any
		want     error
	}{
		{false, 1, int64(1), nil},
		{false, 2, int64(1), errReplicas},
		{true, 0, []any{int64(1), int64(0)}, nil},
		{true, 0, []any{int64(0), int64(0)}, errNoFsync},
		{true, 1, []any{int64(1), int64(0)}, errNoFsync},
	} {
		o := options{waitFsync: tt.fsync, waitReplicas: tt.replicas}
		if err := o.waited(redis.NewCmdResult(tt.reply, nil)); !errors.Is(err, tt.want) {
			t.Errorf("%+v: %v", tt, err)
		}
	}
	o := options{waitFsync: true}
	if err := o.waited(redis.NewCmdResult([]any{int64(1)}, nil)); err == nil {
		t.Error("one count is accepted of two")
	}
}

func TestConnectionsKeepOrder(t *testing.T) {
	brokertest.KeepsOrder(t, openURL(t, serve(t).url("", "?stream=group")))
}

func TestWhatIsAcknowledged(t *testing.T) {
	for _, options := range modes {
		brokertest.WantAcknowledges(t, openURL(t, serve(t).url("", "?"+options)), true)
	}
}

func TestAuditReadsAll(t *testing.T) {
	for _, mode := range modes {
		requestertest.AuditReadsAll(t, openURL(t, serve(t).url("", "?"+mode)), 12_345, 100, 1)
	}
}

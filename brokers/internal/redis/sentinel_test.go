//go:build unix

package redis

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/requestertest"
)

// guidedServers are a master, a replica of it, and a sentinel that makes the replica the master
// at once when the master is away.
type guidedServers struct {
	master, replica, sentinel *broker
}

func serveGuided(t *testing.T) guidedServers {
	t.Helper()
	r := guidedServers{master: serve(t)}
	r.replica = serve(t, "--replicaof", "127.0.0.1", r.master.port, "--repl-diskless-sync-delay", "0")
	config := filepath.Join(t.TempDir(), "sentinel.conf")
	text := fmt.Sprintf("sentinel monitor main 127.0.0.1 %s 1\nsentinel down-after-milliseconds main 500\nsentinel failover-timeout main 5000\n", r.master.port)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	r.sentinel = serveFile(t, config, "--sentinel")
	requestertest.Until(t, "the sentinel knows the replica", func() bool {
		l, err := openURL(t, r.url("")).Leadership(t.Context(), 0)
		return err == nil && l.Leader == "127.0.0.1:"+r.master.port && l.InStep == 2 && r.known(t)
	})
	return r
}

// url returns the target's, with what stands behind the master's name.
func (r guidedServers) url(rest string) string {
	return fmt.Sprintf("redis+sentinel://127.0.0.1:%s/main%s", r.sentinel.port, rest)
}

// known tells whether the sentinel knows the replica.
func (r guidedServers) known(t *testing.T) bool {
	t.Helper()
	said, err := net.Dial("tcp", "127.0.0.1:"+r.sentinel.port)
	if err != nil {
		return false
	}
	defer func() { _ = said.Close() }()
	_, _ = said.Write([]byte("INFO sentinel\r\n"))
	text := make([]byte, 4096)
	n, _ := said.Read(text)
	return strings.Contains(string(text[:n]), "slaves=1")
}

// pause has the server stand still until the test ends.
func (b *broker) pause(t testing.TB) {
	t.Helper()
	if err := b.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
}

// TestFailover kills the master, or has it stand still: the clients go on with the replica.
func TestFailover(t *testing.T) {
	for name, fall := range map[string]func(*broker){
		"kill":  func(b *broker) { b.halt() },
		"pause": func(b *broker) { b.pause(t) },
	} {
		for _, stream := range []string{"none", "read", "group"} {
			t.Run(name+" "+stream, func(t *testing.T) {
				t.Parallel()
				r := serveGuided(t)
				f := openURL(t, r.url("/2?stream="+stream))
				if d, err := f.Describe(t.Context()); err != nil || len(d.Timers) != 3 || d.Timers[0].Value != "500" {
					t.Errorf("timers %v, %v, want down-after-milliseconds 500", d.Timers, err)
				}
				l := requestertest.Connect(t, f, 0)
				l.RoundTrips(t)
				fall(r.master)
				requestertest.Until(t, "the replica leads", func() bool {
					ctx, cancel := context.WithTimeout(t.Context(), time.Second)
					defer cancel()
					led, err := f.Leadership(ctx, 0)
					return err == nil && led.Leader == "127.0.0.1:"+r.replica.port
				})
				l.WantEvents(t, "publisher disconnected", "publisher reconnected after ")
				l.GoesOn(t)
				l.End(t)
			})
		}
	}
}

func TestSentinelsExplain(t *testing.T) {
	r := serveGuided(t)
	brokertest.SetupExplains(t, Open, map[string][]string{
		"unknown name": {strings.Replace(r.url(""), "/main", "/other", 1), "asking the sentinels for other", "no master of that name", "correct the URL's path"},
		"nobody there": {"redis+sentinel://" + brokertest.Refusing(t) + "/main", "connection refused", "start the broker"},
		"no sentinel":  {strings.Replace(r.url(""), r.sentinel.port, r.master.port, 1), "unknown command", "this is no sentinel"},
	})
}

func TestPathsOfSentinels(t *testing.T) {
	brokertest.OpenRefuses(t, Open, "redis", map[string][]string{
		"redis+sentinel://h1,h2":                    {"want the sentinels' name for the master"},
		"redis+sentinel://h/main/x":                 {"number of a database"},
		"redis+sentinel://h/main?tls-insecure=true": {"scheme rediss"},
		"redis://h?sentinel-auth=true":              {"unknown option"},
		// What a replica has that takes over is not what the master's disk has.
		"redis+sentinel://h/main?stream=read&durability=process&wait-replicas=0": {"the other options back accepted at most", "wait-replicas=2"},
	})
	f := openURL(t, "rediss+sentinel://h1,h2:7/main/3?durability=process")
	if f.master != "main" || f.database != 3 || !f.encrypted() || f.options.waitReplicas != 2 || f.options.backs() != requester.Node {
		t.Errorf("%+v", f)
	}
}

// WAIT for one of two replicas is not enough: see guidedLimit.
func TestSentinelsNeedAllReplicas(t *testing.T) {
	server := []requester.Setting{
		{Name: "server-appendonly", Value: "yes"},
		{Name: "server-appendfsync", Value: "no"},
		{Name: "server-replicas", Value: "2"},
		{Name: "server-replicas-known", Value: "2"},
		{Name: "server-maxmemory", Value: "0"},
	}
	for url, want := range map[string]requester.Durability{
		"redis+sentinel://h/main?stream=read":                 requester.Accepted,
		"redis+sentinel://h/main?stream=read&wait-replicas=1": requester.Accepted,
		"redis+sentinel://h/main?stream=read&wait-replicas=2": requester.Node,
		"redis://h?stream=read&wait-replicas=1":               requester.Node,
	} {
		o := &openURL(t, url).options
		got, err := o.durable.Back(o.backs(), o.limits(server)...)
		if err != nil || got.Level != want {
			t.Errorf("%s: %+v, %v, want %s", url, got, err, want)
		}
	}
}

func TestNewMaster(t *testing.T) {
	for said, want := range map[string]string{
		"main 127.0.0.1 1 ::1 2":         "[::1]:2",
		"other 127.0.0.1 1 127.0.0.1 2":  "",
		"main 127.0.0.1 1 127.0.0.1":     "",
		"":                               "",
		"main 10.0.0.1 6379 redis2 6379": "redis2:6379",
	} {
		if got, ok := newMaster(said, "main"); got != want || ok != (want != "") {
			t.Errorf("%q: %q, %v", said, got, ok)
		}
	}
}

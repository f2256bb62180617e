package redis

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/brokers/internal/redis/cluster"
	"github.com/brokerbench/brokerbench/internal/leaf/longtest"
	"github.com/brokerbench/brokerbench/requester/requestertest"
	"github.com/redis/go-redis/v9"
)

// A master that is killed, or stands still, is replaced by its replica.
func TestClusterFailover(t *testing.T) {
	for name, fall := range map[string]func(*broker){
		"kill":  func(b *broker) { b.halt() },
		"pause": func(b *broker) { b.pause(t) },
	} {
		for _, stream := range []string{"none", "read", "group"} {
			t.Run(name+" "+stream, func(t *testing.T) {
				if (name == "kill") == (stream == "group") {
					longtest.Only(t)
				}
				c := serveCluster(t, true)
				f := openURL(t, c.url("?stream="+stream))
				l := requestertest.Connect(t, f, 0)
				l.RoundTrips(t)
				before, err := f.Leadership(t.Context(), 0)
				if err != nil || before.InStep != 2 || before.Copies != 2 {
					t.Errorf("%+v, %v", before, err)
				}
				at := c.index(f, 0)
				fall(c[at])
				requestertest.Until(t, "the replica leads", func() bool {
					led, err := f.Leadership(t.Context(), 0)
					return err == nil && led.Leader == "127.0.0.1:"+c[at+3].port
				})
				l.WantEvents(t, "publisher disconnected", "publisher reconnected after ")
				l.GoesOn(t)
				_ = c[at].cmd.Process.Signal(syscall.SIGCONT)
				l.End(t)
			})
		}
	}
}

// TestSlotMoves has the replica take over in order: no message fails.
func TestSlotMoves(t *testing.T) {
	for _, stream := range []string{"none", "read", "group"} {
		t.Run(stream, func(t *testing.T) {
			c := serveCluster(t, true)
			f := openURL(t, c.url("?stream="+stream))
			l := requestertest.Connect(t, f, 0)
			l.RoundTrips(t)
			replica := c[c.index(f, 0)+3]
			do(t, openURL(t, replica.url("", "")), "CLUSTER|FAILOVER")
			requestertest.Until(t, "the replica leads", func() bool {
				led, err := f.Leadership(t.Context(), 0)
				return err == nil && led.Leader == "127.0.0.1:"+replica.port
			})
			l.GoesOn(t)
			l.End(t)
		})
	}
}

// move gives the slot of a connection's stream to another master, and returns both.
func (c clusterOf) move(t *testing.T, f *Factory) (from, to *broker) {
	t.Helper()
	at := c.index(f, 0)
	from, to = c[at], c[(at+1)%3]
	slot, source, dest := cluster.Slot(f.channel(0)), openURL(t, from.url("", "")), openURL(t, to.url("", ""))
	fromID, toID := do(t, source, "CLUSTER|MYID"), do(t, dest, "CLUSTER|MYID")
	do(t, dest, fmt.Sprintf("CLUSTER|SETSLOT|%d|IMPORTING|%s", slot, fromID))
	do(t, source, fmt.Sprintf("CLUSTER|SETSLOT|%d|MIGRATING|%s", slot, toID))
	do(t, source, fmt.Sprintf("MIGRATE|127.0.0.1|%s|%s|0|5000", to.port, f.channel(0)))
	do(t, dest, fmt.Sprintf("CLUSTER|SETSLOT|%d|NODE|%s", slot, toID))
	do(t, source, fmt.Sprintf("CLUSTER|SETSLOT|%d|NODE|%s", slot, toID))
	return from, to
}

// A message that another server has to have is sent there, and does not fail.
func TestMovedMessageIsSentAgain(t *testing.T) {
	c := serveCluster(t, false)
	f := openURL(t, c.url("?stream=read"))
	l := requestertest.Connect(t, f, 0)
	l.RoundTrips(t)
	_, to := c.move(t, f)
	l.RoundTrip(t, requestertest.Payload(0, 9, 64))
	if n, err := countOf(t, openURL(t, to.url("", "")), f.channel(0)); err != nil || n == 0 {
		t.Errorf("the new master has %d messages, %v", n, err)
	}
	select {
	case failed := <-l.Failures:
		t.Errorf("a message failed: %v", failed.Cause)
	default:
	}
	l.End(t)
}

// A message fails that was moved to a server that is gone, or does not answer, and so does the next one.
func TestMovedMessageToAServerThatIsAway(t *testing.T) {
	for name, turn := range map[string]struct{ off, on func(*broker) }{
		"kill":  {func(b *broker) { b.halt() }, func(b *broker) { b.start(t) }},
		"pause": {func(b *broker) { b.pause(t) }, func(b *broker) { _ = b.cmd.Process.Signal(syscall.SIGCONT) }},
	} {
		t.Run(name, func(t *testing.T) {
			c := serveCluster(t, false, "--cluster-require-full-coverage", "no")
			f := openURL(t, c.url("?stream=read&setup-timeout=500ms"))
			l := requestertest.Connect(t, f, 0)
			l.RoundTrips(t)
			_, to := c.move(t, f)
			turn.off(to)
			for seq := range uint64(2) {
				err := l.Request(t.Context(), requestertest.Payload(0, seq, 64))
				if err == nil { // the connection had not noticed yet
					err = l.WantFailure(t).Cause
				}
				brokertest.WantFault(t, err)
			}
			turn.on(to)
			requestertest.Until(t, "the server is back", func() bool {
				return strings.Contains(do(t, openURL(t, to.url("", "")), "CLUSTER|INFO").(string), "cluster_state:ok")
			})
			l.End(t)
		})
	}
}

// A master that comes back and reaches no other has its old slots, whether it knows that it is alone or not.
func TestAMasterThatIsCutOffIsNotBelieved(t *testing.T) {
	for timeout, state := range map[string]string{"1000": "cluster_state:fail", "3600000": "cluster_state:ok"} {
		t.Run(state, func(t *testing.T) {
			c := serveCluster(t, true)
			f := openURL(t, c.url("?stream=read"))
			number := 0
			for c.index(f, number) != 0 {
				number++
			}
			c[0].halt()
			leads := func(rest string) string {
				addr, _ := openURL(t, rest).masterOf(t.Context(), f.channel(number))
				return addr
			}
			replica := "127.0.0.1:" + c[3].port
			for _, b := range c[1:3] { // one may know of the new master before the other
				requestertest.Until(t, "the replica leads", func() bool {
					return regexp.MustCompile(c[3].port + `@\S+ master .* 0-5460`).MatchString(do(t, openURL(t, b.url("", "")), "CLUSTER|NODES").(string))
				})
			}
			c.isolate(t, timeout)
			requestertest.Until(t, "the old master is up", func() bool {
				return strings.Contains(do(t, openURL(t, c[0].url("", "")), "CLUSTER|INFO").(string), state)
			})
			for range 10 {
				if got := leads(c.url("")); got != replica {
					t.Fatalf("%s leads, want %s", got, replica)
				}
			}
			l := requestertest.Connect(t, openURL(t, c.url("?stream=read")), number)
			l.RoundTrips(t)
			l.End(t)
		})
	}
}

// isolate starts the first master again, where no other node reaches it, and it reaches none.
func (c clusterOf) isolate(t *testing.T, timeout string) {
	t.Helper()
	b, file := c[0], filepath.Join(c[0].dir, "nodes.conf")
	known, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	used := make(map[string]bool)
	nowhere, bus := freePort(t, used), freePort(t, used)
	if err := os.WriteFile(file, regexp.MustCompile(`@\d+`).ReplaceAll(known, []byte("@"+nowhere)), 0o600); err != nil {
		t.Fatal(err)
	}
	b.args = append(b.args, "--cluster-port", bus, "--cluster-node-timeout", timeout)
	b.start(t)
}

func countOf(t *testing.T, f *Factory, stream string) (n int64, err error) {
	t.Helper()
	err = f.with(t.Context(), "asking", func(client *redis.Client) error {
		n, err = client.XLen(t.Context(), stream).Result()
		return err
	})
	return n, err
}

func TestClusterExplains(t *testing.T) {
	c, single := serveCluster(t, false), serve(t)
	f := openURL(t, c.url("?stream=read"))
	elsewhere := c[(c.index(f, 0)+1)%3]
	brokertest.SetupExplains(t, Open, map[string][]string{
		"no cluster":   {"redis+cluster://127.0.0.1:" + single.port, "cluster support disabled", "use the scheme redis"},
		"nobody there": {"redis+cluster://" + brokertest.Refusing(t), "connection refused", "start the broker"},
	})
	_, err := countOf(t, openURL(t, elsewhere.url("", "")), f.channel(0))
	brokertest.WantFault(t, err, "MOVED", "use the scheme redis+cluster")
	brokertest.OpenRefuses(t, Open, "redis", map[string][]string{
		"redis+cluster://h/1":                   {"a cluster has database 0 alone"},
		"redis://h1,h2":                         {"redis+cluster://h1,h2,h3"},
		"redis+cluster://h?tls-insecure=true":   {"scheme rediss"},
		"redis+cluster://h?sentinel-auth=false": {"unknown option"},
	})
}

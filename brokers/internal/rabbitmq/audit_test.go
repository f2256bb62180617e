package rabbitmq

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/requestertest"
	amqp "github.com/rabbitmq/amqp091-go"
)

// kinds are the options of queues that confirm.
var kinds = []string{
	"confirm=true", "confirm=true&durable=true&persistent=true&prefetch=100", "confirm=true&durable=true&queue-type=quorum&separate-connections=true",
	audited + "&persistent=true", audited + "&queue-type=quorum&prefetch=100",
}

const audited = "durability=accepted"

// Each message that was confirmed is delivered or in the queue, whenever the consumer is
// ended, and none is both.
func TestAQueueIsDrained(t *testing.T) {
	kinds := []string{"", "&persistent=true&prefetch=100", "&queue-type=quorum&separate-connections=true", "&queue-type=quorum&single-active-consumer=true", "&queue-type=quorum&prefetch=10"}
	brokertest.Each(t, kinds, func(t *testing.T, options string) {
		requestertest.EachIsDeliveredOrKept(t, running(t, "confirm=true&durable=true"+options), 5000)
	})
}

// An audit while the broker is away says so, and does not wait for it.
func TestAnAuditWhileTheBrokerIsAway(t *testing.T) {
	f, p := behind(t, "confirm=true&durable=true&reconnect-wait=1ms")
	l := requestertest.Store(t, f, 0, 100, 100)
	brokertest.CutOff(t, l, p, "reconnecting")
	brokertest.WantError(t, f.Audit(t.Context(), func([]byte) {}), "connecting", "@"+p.Addr())
	p.Refuse(false)
}

// Nodes may no longer be one cluster when an audit reads them: a node that lost its data, and came
// back alone, has none of the queues.
func TestAnAuditReadsEveryNode(t *testing.T) {
	away, apart := errors.New("away"), errors.New("the nodes that answer know 1 of 3 nodes")
	gone := requester.ErrStoreGone
	for name, c := range map[string]struct {
		nodes       []error // of the three nodes; nil: it was read
		whole, want error
	}{
		"all are one cluster":                       {nodes: []error{nil, nil, nil}},
		"one is alone":                              {nodes: []error{gone, nil, nil}, whole: apart},
		"the queues are gone":                       {nodes: []error{gone, gone, gone}, want: gone},
		"a member does not deliver":                 {nodes: []error{errSilent, nil, nil}},
		"no member delivers":                        {nodes: []error{errSilent, errSilent, errSilent}, want: errSilent},
		"one is alone, the others do not answer":    {nodes: []error{gone, away, away}, whole: apart, want: apart},
		"one is alone with new queues":              {nodes: []error{nil, away, away}, whole: apart, want: away},
		"one does not answer, the cluster is known": {nodes: []error{nil, nil, away}},
		"the queues are gone, and one is not there": {nodes: []error{gone, gone, away}, want: gone},
		"gone from one, the others deliver nothing": {nodes: []error{gone, errSilent, errSilent}, want: errSilent},
		"none answers":                              {nodes: []error{away, away, away}, whole: away, want: away},
	} {
		n := -1
		err := overNodes(make([]string, 3), func(string) error { n++; return c.nodes[n] }, func() error { return c.whole })
		if !errors.Is(err, c.want) || errors.Is(err, gone) != errors.Is(c.want, gone) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

// What is not in the queue any more is missing.
func TestAuditMissesWhatIsGone(t *testing.T) {
	f := running(t, audited)
	requestertest.Store(t, f, 0, 100, 100)
	do(t, func(channel *amqp.Channel) error {
		for range 11 { // the probe, too
			if _, ok, err := channel.Get(AuditQueue(f.Queue(0)), true); !ok || err != nil {
				t.Fatalf("no message, %v", err)
			}
		}
		return nil
	})
	brokertest.AuditMisses(t, f, 100, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9)
}

func TestAuditExplains(t *testing.T) {
	for _, options := range []string{"", "confirm=true", "durable=true"} {
		f := running(t, options)
		if err := f.Audit(t.Context(), nil); !errors.Is(err, requester.ErrKeepsNothing) || f.Store().Consuming {
			t.Errorf("%q: %v, %v", options, err, f.Store().Consuming)
		}
	}
	if running(t, audited).Store().Consuming {
		t.Error("an audit queue has no consumer")
	}
	f := running(t, audited)
	l := connected(t, f, 0)
	do(t, func(channel *amqp.Channel) error {
		_, err := channel.QueueDelete(AuditQueue(f.Queue(0)), false, false, false)
		return err
	})
	if err := f.Audit(t.Context(), nil); !errors.Is(err, requester.ErrStoreGone) {
		t.Errorf("without its queue: %v", err)
	}
	requestertest.Store(t, f, 1, 10, 100)
	if found := requestertest.Audited(t, f); len(found) != 10 {
		t.Errorf("%d messages of the queue that is there, want 10", len(found))
	}
	l.End(t)
	gone := factory(t, "amqp://127.0.0.1:1", audited)
	brokertest.WantFault(t, gone.Audit(t.Context(), nil), "start the broker")
}

func TestTeardownRemovesTheAuditQueue(t *testing.T) {
	requestertest.TeardownLeavesNothing(t, running(t, audited), func(l *requestertest.Link) bool {
		c := inside(l)
		return !hasQueue(t, AuditQueue(c.factory.Queue(c.Number)))
	})
}

// A message that reaches no queue is returned and then confirmed: it has failed, and is not
// acknowledged.
func TestAReturnedMessageIsNotAcknowledged(t *testing.T) {
	l := inside(requestertest.NewLink(t, running(t, "confirm=true"), 0))
	acked := make(chan uint64, 1000)
	l.Acked = func(p []byte) {
		stamp, _ := requester.ReadStamp(p)
		acked <- stamp.Seq
	}
	if err := l.Begin(); err != nil {
		t.Fatal(err)
	}
	key := l.publisher().key
	for seq := range uint64(200) {
		l.publisher().key = key
		if seq%2 == 1 {
			l.publisher().key = "nowhere"
		}
		l.Send(t, requestertest.Payload(0, seq, 100))
	}
	for range 100 {
		if failed := l.WantFailure(t, "NO_ROUTE"); failed.Stamp.Seq%2 != 1 {
			t.Errorf("message %d failed", failed.Stamp.Seq)
		}
		if seq := <-acked; seq%2 != 0 {
			t.Errorf("message %d was acknowledged", seq)
		}
	}
	if len(acked) > 0 {
		t.Errorf("%d acknowledgements too many", len(acked))
	}
}

func TestAuditReadsAll(t *testing.T) {
	for _, options := range kinds[3:] {
		t.Run(options, func(t *testing.T) { requestertest.AuditReadsAll(t, running(t, options), 12_345, 100, 1) })
	}
}

// A quorum queue reports no messages while its leader does not answer. An audit waits for the leader, and finds all of them.
func TestAnAuditAsksTheLeader(t *testing.T) {
	f := running(t, audited+"&persistent=true&queue-type=quorum")
	requestertest.Store(t, f, 0, 100, 100)
	queue := AuditQueue(f.Queue(0))
	control(t, "eval", fmt.Sprintf("P = whereis('%%2F_%s'), sys:suspend(P), spawn(fun() -> timer:sleep(8000), sys:resume(P) end).", queue))
	do(t, func(channel *amqp.Channel) error {
		state, err := channel.QueueDeclarePassive(queue, true, false, false, false, nil)
		if state.Messages > 0 {
			t.Skipf("this took 8 s: the leader answers again, with %d messages", state.Messages)
		}
		return err
	})
	read := 0
	if err := f.Audit(t.Context(), func([]byte) { read++ }); err != nil || read < 100 {
		t.Errorf("read %d messages, want 100 at least: %v", read, err)
	}
}

// control runs rabbitmqctl for the server that deploy/local started; without it the test is skipped.
func control(t *testing.T, args ...string) {
	t.Helper()
	state := cmp.Or(os.Getenv("BROKERBENCH_STATE"), "../../../.brokers") + "/rabbitmq/"
	ports, err := os.ReadFile(state + "ports")
	if err != nil {
		t.Skipf("not a server of deploy/local: %v", err)
	}
	_, port, _ := strings.Cut("\n"+string(ports), "\nepmd=")
	port, _, _ = strings.Cut(port, "\n")
	home, err := filepath.Abs(state + "home")
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), "/usr/lib/rabbitmq/bin/rabbitmqctl", append([]string{"-q", "-n", "brokerbench@localhost"}, args...)...)
	c.Env = []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8", "HOME=" + home, "ERL_EPMD_ADDRESS=127.0.0.1", "ERL_EPMD_PORT=" + port, "RABBITMQ_CONF_ENV_FILE=/dev/null"}
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("rabbitmqctl: %v: %s", err, out)
	}
}

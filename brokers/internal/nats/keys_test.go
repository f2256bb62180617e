package nats

import (
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/nats-io/nats-server/v2/server"
)

func TestAKeyHasOneTopic(t *testing.T) {
	b := serve(t, func(o *server.Options) { o.JetStream, o.StoreDir = true, t.TempDir() })
	for _, query := range []string{"", "?stream=memory&consumer=pull"} {
		for _, topology := range []requester.Topology{{Topics: 4, Groups: 2, Members: 2}, {Topics: 5, Groups: 3, Members: 3}} {
			t.Run(query, func(t *testing.T) { brokertest.Keys(t, open(t, b, "", query), topology, topology.Topics) })
		}
	}
}

func TestABacklogWithKeys(t *testing.T) {
	t.Parallel()
	b := serve(t, func(o *server.Options) { o.JetStream, o.StoreDir = true, t.TempDir() })
	brokertest.KeyedBacklog(t, open(t, b, "", "?stream=memory&consumer=pull"), requester.Topology{Topics: 4, Groups: 2, Members: 2})
}

// The last token of a subject is the key. A sender makes no subject for each message.
func TestTheSubjectOfAKey(t *testing.T) {
	f := &Factory{topology: requester.Topology{Topics: 3, Groups: 1, Members: 1}}
	f.Run = "run"
	for range 2 { // as measure and the engine do
		if err := f.TakeKeys(requester.Keys{Names: []string{"key-0"}, Of: func(_ uint32, seq uint64) int { return int(seq&1) - 1 }}); err != nil {
			t.Fatal(err)
		}
	}
	made, err := f.New(5, requester.Replies(func([]byte) {}))
	if err != nil {
		t.Fatal(err)
	}
	c := made.(*conn)
	for seq, want := range map[uint64]string{0: "brokerbench.run.2.-", 1: "brokerbench.run.0.key-0", requester.ProbeSeq: "brokerbench.run.2.-"} {
		payload := make([]byte, requester.StampSize)
		requester.Stamp{Run: 1, Seq: seq}.Put(payload)
		if got := c.to(payload); got != want {
			t.Errorf("message %d: %s, want %s", seq, got, want)
		}
		if n := testing.AllocsPerRun(100, func() { c.to(payload) }); n != 0 {
			t.Errorf("message %d: %v allocations", seq, n)
		}
	}
}

func TestKeysThatChooseNoTopic(t *testing.T) {
	b := serve(t, nil)
	brokertest.WantNoKeys(t, open(t, b, "", ""), requester.Topology{}, "a key chooses the topic, and each connection has only one: add --topics")
	brokertest.WantNoKeys(t, open(t, b, "", ""), requester.Topology{Topics: 2, Groups: 1, Members: 3}, "3 members need as many topics, and there are 2")
}

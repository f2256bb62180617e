package coordinator

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/brokerbench/brokerbench/internal/agents/wire"
)

// A shelf is a stream with some chunks of one result.
type shelf struct {
	jetstream.Stream

	chunks map[string]uint64
	asked  []string
}

func (s *shelf) Info(context.Context, ...jetstream.StreamInfoOpt) (*jetstream.StreamInfo, error) {
	s.asked = append(s.asked, "")
	return &jetstream.StreamInfo{State: jetstream.StreamState{Subjects: s.chunks}}, nil
}

// What has come of results is looked at while an agent delivers, now and then.
func TestChunksAreCountedWhileAnAgentDelivers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &shelf{chunks: map[string]uint64{"x.0": 1, "x.1": 1}}
		c := &Coordinator{cfg: Config{}.withDefaults(), stream: s, began: time.Now(), roster: newTestRoster()}
		hears(c.roster, second, "e", func(b *wire.Beat) { b.State, b.Key = wire.Running, "7" })
		trial := &trial{key: "7", seats: c.roster.all(), counted: make(chan map[string]uint64, 1), chunks: make(map[string]uint64), reading: t.Context()}
		c.count(trial)
		synctest.Wait()
		if s.asked != nil {
			t.Error("it is asked although nobody delivers")
		}
		hears(c.roster, 2*second, "e", func(b *wire.Beat) { b.State, b.Key = wire.Done, "7" })
		for range 3 {
			c.count(trial)
			synctest.Wait()
		}
		if n := (<-trial.counted)["a1"]; n != 2 || len(s.asked) != 1 {
			t.Errorf("%d chunks, asked %d times, want 2 and once", n, len(s.asked))
		}
	})
}

// Agents with many connections have longer to set them up.
func TestTheTimeToPrepareGoesByTheConnections(t *testing.T) {
	c := &Coordinator{cfg: Config{Agents: []string{"a1", "a2"}}.withDefaults()}
	for connections, want := range map[int]time.Duration{2: time.Minute, 32: time.Minute, 34: 90 * second, 3200: time.Minute + 99*30*second} {
		t1 := &trial{seats: make([]seat, 2)}
		t1.cell.Shape.Connections = connections
		if got := c.config(t1).Prepare; got != want {
			t.Errorf("%d connections: %v, want %v", connections, got, want)
		}
	}
}

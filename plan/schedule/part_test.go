package schedule_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/plan/schedule"
)

// sent is a message: which connection carries it, and when it is due.
type sent struct {
	conn int
	due  time.Duration
}

// union returns what all agents send, sorted.
func union(spec schedule.Spec, connections, agents int) (all []sent) {
	for agent := range agents {
		for _, part := range (schedule.Part{Index: agent, Of: agents}).Connections(connections) {
			for due := range spec.Offsets(part) {
				all = append(all, sent{part.Index, due})
			}
		}
	}
	slices.SortFunc(all, func(a, b sent) int {
		if a.conn != b.conn {
			return a.conn - b.conn
		}
		return int(a.due - b.due)
	})
	return all
}

// Whatever the rate, the arrivals and the number of agents: together they send what one
// sends, each message on the connection that would carry it there, also at random.
func TestAgentsTogetherSendExactlyTheScheduleOfOne(t *testing.T) {
	draw := rand.New(rand.NewPCG(14, 1))
	for range 150 {
		arrivals := every()[draw.IntN(len(every()))]
		spec := schedule.Spec{
			Arrivals: arrivals, Rate: schedule.RateOf(1 + draw.Int64N(5000*schedule.PerSecond)), Seed: draw.Uint64(),
			Duration: time.Duration(1 + draw.Int64N(int64(2*time.Second))),
		}
		connections := 1 + draw.IntN(40)
		agents := 1 + draw.IntN(connections)
		one, many := union(spec, connections, 1), union(spec, connections, agents)
		if !slices.Equal(one, many) {
			t.Fatalf("%+v over %d connections: %d agents send %d messages that are not the %d of one", spec, connections, agents, len(many), len(one))
		}
		if arrivals != schedule.Poisson && len(many) != spec.Count(schedule.Part{}) {
			t.Fatalf("%+v: %d messages, want %d", spec, len(many), spec.Count(schedule.Part{}))
		}
	}
}

// Where the agents divide the connections, message k is agent k mod N's.
func TestAgentsInterleave(t *testing.T) {
	spec := schedule.Spec{Rate: 600, Duration: time.Second}
	whole := slices.Collect(spec.Offsets(schedule.Part{}))
	for agent := range 3 {
		var due []time.Duration
		for _, part := range (schedule.Part{Index: agent, Of: 3}).Connections(12) {
			due = append(due, slices.Collect(spec.Offsets(part))...)
		}
		slices.Sort(due)
		for i, at := range due {
			if at != whole[agent+3*i] {
				t.Fatalf("message %d of agent %d is due at %v, want %v", i, agent, at, whole[agent+3*i])
			}
		}
	}
}

func TestAgentsBeyondTheLastConnectionHaveNone(t *testing.T) {
	if got := (schedule.Part{Index: 2, Of: 3}).Connections(2); got != nil {
		t.Errorf("%v", got)
	}
	if got := (schedule.Part{}).Connections(3); len(got) != 3 || got[2] != (schedule.Part{Index: 2, Of: 3}) {
		t.Errorf("the whole is %v", got)
	}
}

func ExamplePart_Connections() {
	fmt.Println(schedule.Part{Index: 1, Of: 3}.Connections(5))
	// Output: [{1 5} {4 5}]
}

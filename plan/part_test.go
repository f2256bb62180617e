package plan_test

import (
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
)

func TestPartsOfACellAddUp(t *testing.T) {
	whole := plan.Cell{Target: plan.Target{Name: "nats"}, Shape: plan.Shape{Rate: 1000, Size: 64, Connections: 25}}
	connections, rate := 0, 0.0
	for i := range 3 {
		part, err := whole.Part(schedule.Part{Index: i, Of: 3})
		if err != nil {
			t.Fatal(err)
		}
		connections, rate = connections+part.Shape.Connections, rate+float64(part.Shape.Rate)
	}
	if connections != 25 || rate != 1000 {
		t.Errorf("the parts have %d connections and %v/s", connections, rate)
	}
	if same, err := whole.Part(schedule.Part{}); err != nil || same.Shape != whole.Shape {
		t.Errorf("the whole is %v, %v", same, err)
	}
}

func TestACellThatCannotBeShared(t *testing.T) {
	few := plan.Cell{Target: plan.Target{Name: "nats"}, Shape: plan.Shape{Rate: 1000, Size: 64, Connections: 2}}
	if _, err := few.Part(schedule.Part{Of: 3}); err == nil || !strings.Contains(err.Error(), "has 2 connections, which 3 agents cannot share") || !strings.Contains(err.Error(), "--connections 3") {
		t.Error(err)
	}
	for want, cell := range map[string]plan.Cell{
		"2 agents cannot share 3 topics: ":                              {Shape: plan.Shape{Topology: plan.Topology{Topics: 3, Groups: 2, Members: 2}}},
		"2 agents cannot share 1 member of each group: ":                {Shape: plan.Shape{Topology: plan.Topology{Topics: 4, Groups: 2, Members: 1}}},
		"agents cannot share groups of consumers of messages with keys": {Shape: plan.Shape{Topology: plan.Topology{Topics: 4, Groups: 2, Members: 2}, Keys: schedule.Keys{Count: 9}}},
		"agents cannot share a backlog yet":                             {Shape: plan.Shape{Topology: plan.Topology{Topics: 4, Groups: 2, Members: 2}, Backlog: plan.Backlog{Messages: 10}}},
		"agents cannot have members that join, leave or are":            {Shape: plan.Shape{Topology: plan.Topology{Topics: 4, Groups: 2, Members: 2}}, Settings: plan.Settings{Faults: []plan.Fault{{Do: plan.Leave, Node: "g0m1"}}}},
	} {
		cell.Shape.Rate, cell.Shape.Size, cell.Shape.Connections = 1000, 64, 8
		if _, err := cell.Part(schedule.Part{Of: 2}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
		if _, err := cell.Part(schedule.Part{}); err != nil {
			t.Errorf("the whole: %v", err)
		}
	}
	slow := plan.Cell{Shape: plan.Shape{Rate: schedule.MinRate, Size: 64, Connections: 3}}
	if _, err := slow.Part(schedule.Part{Of: 1001}); err == nil {
		t.Error("1001 agents share 3 connections")
	}
}

// Producers, topics and members of the parts are those of the whole, each once: a producer of a part sends to the topic
// to which it sends in the whole.
func TestPartsOfATopologyAddUp(t *testing.T) {
	whole := plan.Cell{Shape: plan.Shape{Rate: 1000, Size: 64, Connections: 25, Topology: plan.Topology{Topics: 6, Groups: 2, Members: 9}}}
	for i := range 3 {
		cell, err := whole.Part(schedule.Part{Index: i, Of: 3})
		if err != nil || cell.Shape.Topology != (plan.Topology{Topics: 2, Groups: 2, Members: 3}) {
			t.Fatalf("part %d has %+v, %v", i, cell.Shape.Topology, err)
		}
		for conn := range cell.Shape.Connections {
			if got, want := i+3*(conn%cell.Shape.Topology.Topics), (i+3*conn)%6; got != want {
				t.Errorf("producer %d of part %d sends to topic %d, want %d", conn, i, got, want)
			}
		}
	}
}

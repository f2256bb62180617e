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
	slow := plan.Cell{Shape: plan.Shape{Rate: schedule.MinRate, Size: 64, Connections: 3}}
	if _, err := slow.Part(schedule.Part{Of: 1001}); err == nil {
		t.Error("1001 agents share 3 connections")
	}
}

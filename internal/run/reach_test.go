package run

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/loopback"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/results"
)

// A second target that is down is found before the floor and the cells of the first,
// is one error whatever it has of cells, and costs no floor.
func TestTargetsAreTriedBeforeAnythingIsMeasured(t *testing.T) {
	p := plan.Plan{
		Targets:  []plan.Target{{Name: "up", URL: "loopback:"}, {Name: "down", URL: "x://h"}},
		Shapes:   []plan.Shape{{Rate: 100, Size: 64, Connections: 1}, {Rate: 200, Size: 64, Connections: 1}},
		Settings: plan.Settings{Duration: 50 * ms, Timeout: time.Second, Floor: true},
	}
	var happened []string
	r := Runner{
		Open: func(t plan.Target, _ string) (requester.Factory, error) {
			up, err := loopback.New(loopback.Config{})
			if t.Name == "down" {
				return down{up}, err
			}
			return up, err
		},
		Floor: func(_ context.Context, cell plan.Cell) (*results.Floor, error) {
			happened = append(happened, "floor "+cell.Target.Name)
			return &results.Floor{Echo: results.FloorRun{ReachedPerS: 100}}, nil
		},
		Begin:     func(cell plan.Cell, _, _ int) { happened = append(happened, "cell "+cell.Target.Name) },
		Unreached: func(t plan.Target, err error) { happened = append(happened, t.Name+" "+err.Error()) },
	}
	run, cells, _, err := r.Run(t.Context(), p)
	want := "down x://h: connecting: refused; floor up; cell up; floor up; cell up"
	if got := strings.Join(happened, "; "); got != want {
		t.Errorf("happened: %s\nwant: %s", got, want)
	}
	if !errors.Is(err, errDown) || strings.Count(err.Error(), "refused") != 1 || len(cells) != 2 {
		t.Errorf("%d cells, %v", len(cells), err)
	}
	for _, entry := range run.Cells {
		if strings.HasPrefix(entry.ID, "down-") != (entry.Error == errDown.Error()) {
			t.Errorf("%+v", entry)
		}
	}
}

// All targets are asked at once: five that do not answer take as long as one.
func TestTargetsAreTriedAtTheSameTime(t *testing.T) {
	p := plan.Plan{Shapes: []plan.Shape{{Rate: 100, Size: 64, Connections: 1}}, Settings: plan.Settings{Duration: time.Second, Timeout: time.Second}}
	var said []plan.Target
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		p.Targets = append(p.Targets, plan.Target{Name: name, URL: name + ":"})
	}
	r := Runner{
		Open:      func(plan.Target, string) (requester.Factory, error) { return silent{}, nil },
		Unreached: func(t plan.Target, _ error) { said = append(said, t) },
	}
	took := inBubble(t, func() {
		if _, cells, _, err := r.Run(context.Background(), p); len(cells) > 0 || strings.Count(err.Error(), "deadline") != 5 {
			t.Errorf("%d cells, %v", len(cells), err)
		}
	})
	if len(said) > 0 {
		t.Errorf("%v are said before the end, which comes at once", said)
	}
	if took != 15*time.Second {
		t.Errorf("it took %v, want %v", took, 15*time.Second)
	}
}

// An interrupt while targets are tried is none of a target's errors.
func TestAnInterruptWhileTargetsAreTried(t *testing.T) {
	p := plan.Plan{
		Targets: []plan.Target{{Name: "a", URL: "a:"}, {Name: "b", URL: "b:"}}, Shapes: []plan.Shape{{Rate: 100, Size: 64, Connections: 1}},
		Settings: plan.Settings{Duration: time.Second, Timeout: time.Second},
	}
	r := Runner{Open: func(plan.Target, string) (requester.Factory, error) { return silent{}, nil }}
	inBubble(t, func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		run, _, _, err := r.Run(ctx, p)
		if err != nil || !run.Interrupted || run.Cells[0].Error != "" {
			t.Errorf("%+v, %v", run, err)
		}
	})
}

// silent is a factory whose target never answers.
type silent struct{ requester.Factory }

func (silent) Describe(ctx context.Context) (requester.Description, error) {
	<-ctx.Done()
	return requester.Description{}, ctx.Err()
}

package load_test

import (
	"maps"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/internal/loopback"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester/load"
)

// changing returns the config of a warm-up of a second and three sections.
func changing(connections int, arrivals schedule.Arrivals) load.Config {
	var legs []schedule.Leg
	for _, rate := range []schedule.Rate{100, 500, 100} {
		legs = append(legs, schedule.Leg{From: rate, To: rate, For: 2 * time.Second})
	}
	return load.Config{
		Schedule: schedule.Spec{Arrivals: arrivals, Rate: 233, Duration: 7 * time.Second, Seed: 1, Course: schedule.NewCourse(time.Second, legs)},
		Sections: []time.Duration{3 * time.Second, 5 * time.Second, 7 * time.Second},
		Warmup:   time.Second, Timeout: time.Second, Size: 64, Connections: connections, NewWaiter: load.SleepWaiter,
	}
}

// The engine sends at the times of the course, not at those of the mean rate, and each section
// has exactly the messages of its own rate.
func TestTheEngineFollowsACourse(t *testing.T) {
	cfg := changing(3, "")
	outcome, k := virtual(t, system(t, loopback.Config{}), cfg)
	want, got := make(map[time.Duration]int), make(map[time.Duration]int)
	for due := range cfg.Schedule.Offsets(schedule.Part{}) {
		want[due]++
	}
	for _, op := range k.ops.all {
		got[op.Sent]++
	}
	if !maps.Equal(got, want) || len(got) != 100+200+1000+200 {
		t.Errorf("%d messages were sent, want %d at the times of the course", len(k.ops.all), len(want))
	}
	for i, due := range []int64{200, 1000, 200} {
		if s := outcome.Sections[i]; s.Ledger != (load.Ledger{Due: due, Done: due}) {
			t.Errorf("section %d: %+v, want %d due and done", i+1, s.Ledger, due)
		}
	}
}

// What is lost in one section is missing there, and the sections add up to the window. Agents
// that share the cell have the same sections together.
func TestSectionsAccountForTheirMessages(t *testing.T) {
	for _, arrivals := range []schedule.Arrivals{schedule.Constant, schedule.Poisson, schedule.Burst(10)} {
		synctest.Test(t, func(t *testing.T) {
			var outs []load.Outcome
			for i := range 4 {
				cfg := changing(7, arrivals)
				if i > 0 {
					cfg.Part = schedule.Part{Index: i - 1, Of: 3}
				}
				// Requests of 3.5 s to 4.5 s come back after the timeout: half of the second section.
				f := system(t, loopback.Config{Slow: []loopback.Phase{{At: 3500 * time.Millisecond, For: time.Second, Delay: time.Hour}}})
				out, err := load.Run(t.Context(), f, cfg, discard{}, load.Hooks{})
				if err != nil {
					t.Fatal(err)
				}
				outs = append(outs, out)
			}
			var sum load.Account
			for i, s := range outs[0].Sections {
				sum.Add(s)
				if lost := s.Lost > 0; lost != (i == 1) || s.Due != s.Done+s.Lost {
					t.Errorf("%s, section %d: %+v", arrivals, i+1, s.Ledger)
				}
				var parts load.Ledger
				for _, out := range outs[1:] {
					parts.Add(out.Sections[i].Ledger)
				}
				if parts.Due != s.Due {
					t.Errorf("%s, section %d: %d due on one machine, %d on three", arrivals, i+1, s.Due, parts.Due)
				}
			}
			if sum.Ledger != outs[0].Window || sum.Due == 0 {
				t.Errorf("%s: the sections have %+v, the window %+v", arrivals, sum.Ledger, outs[0].Window)
			}
		})
	}
}

// A run that is interrupted has no messages of later sections, and unsent messages are those of
// the last one that began.
func TestUnsentMessagesAreInTheirSection(t *testing.T) {
	cfg := changing(1, "")
	cfg.InFlight = 1
	// Nothing comes back from 2.5 s on: one message is in flight, and all later ones are unsent.
	outcome, _ := virtual(t, system(t, loopback.Config{Slow: []loopback.Phase{{At: 2500 * time.Millisecond, For: time.Hour, Delay: time.Hour}}}), cfg)
	for i, want := range []load.Ledger{{Due: 200, Done: 150, Lost: 1, Unsent: 49}, {Due: 1000, Unsent: 1000}, {Due: 200, Unsent: 200}} {
		if got := outcome.Sections[i].Ledger; got.Due != want.Due || got.Done != want.Done || got.Done+got.Lost+got.Unsent != got.Due {
			t.Errorf("section %d: %+v, want %+v", i+1, got, want)
		}
	}
}

// Package verify proves the measurement in real time, through real sockets: it
// measures systems whose behaviour is known exactly, and compares the results with
// arithmetic, row by row.
package verify

import (
	"cmp"
	"time"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester/loopback"
)

// A Scenario is a system and how it is measured.
type Scenario struct {
	Name   string          `json:"name"`
	System loopback.Config `json:"system"` // its times count from the first message, warm-up included
	Cell   plan.Cell       `json:"cell"`
}

// Settings say how long and how fast to measure. Their zero fields mean the
// defaults.
type Settings struct {
	Duration time.Duration // of each window; 0: 5 s; at least 3 s
	Rate     int           // messages per second in open loop; 0: 1,000
}

// The shape of what is measured.
const (
	delay      = 10 * time.Millisecond // the constant service time
	slowDelay  = 50 * time.Millisecond // in the slow phase
	stall      = time.Second
	warmup     = 500 * time.Millisecond
	timeout    = 2 * time.Second
	patience   = 250 * time.Millisecond // how long one message in flight waits for a reply that does not come
	serialRate = 50                     // with one in flight: half of the 100/s that a service time of 10 ms allows
)

// Scenarios returns what `brokerbench verify` measures: each system in open loop
// and with one message in flight.
func Scenarios(s Settings) []Scenario {
	s.Duration, s.Rate = cmp.Or(s.Duration, 5*time.Second), cmp.Or(s.Rate, 1000)
	at := warmup + s.Duration/5
	end := warmup + s.Duration
	var list []Scenario
	add := func(name string, system loopback.Config, serialTimeout time.Duration) {
		system.Delay = delay
		for _, mode := range []struct {
			shape   plan.Shape
			timeout time.Duration
		}{
			{plan.Shape{Rate: schedule.Rate(s.Rate), Size: 256, Connections: 1}, timeout},
			{plan.Shape{Rate: serialRate, Size: 256, Connections: 1, InFlight: 1}, serialTimeout},
		} {
			list = append(list, Scenario{name, system, plan.Cell{
				Target: plan.Target{Name: "tcp"}, Shape: mode.shape,
				Settings: plan.Settings{Duration: s.Duration, Warmup: warmup, Timeout: mode.timeout},
			}})
		}
	}
	add("constant service of 10 ms", loopback.Config{}, timeout)
	add("a stall of 1 s", loopback.Config{Freezes: []loopback.Freeze{{At: at, For: stall}}}, timeout)
	add("a stall of 1 s that begins 0.3 s before the end", loopback.Config{Freezes: []loopback.Freeze{{At: end - 300*time.Millisecond, For: stall}}}, timeout)
	add("a slow phase: 50 ms for 1 s", loopback.Config{Slow: []loopback.Phase{{At: at, For: stall, Delay: slowDelay}}}, timeout)
	add("2 % never answered", loopback.Config{Drop: 0.02}, patience)
	return list
}

// serial tells whether one message is in flight at a time.
func (s Scenario) serial() bool { return s.Cell.Shape.InFlight == 1 }

// steady tells whether the system behaves the same all the time.
func (s Scenario) steady() bool {
	return len(s.System.Freezes) == 0 && len(s.System.Slow) == 0 && s.System.Drop == 0
}

// Mode returns how messages are sent, in words.
func (s Scenario) Mode() string {
	if s.serial() {
		return "one in flight"
	}
	return "open loop"
}

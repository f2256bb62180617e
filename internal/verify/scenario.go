// Package verify proves the measurement in real time, through real sockets: it
// measures systems whose behaviour is known exactly and that note when each message
// came and its reply left, and compares what the client reports with these notes,
// message by message.
package verify

import (
	"cmp"
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/internal/loopback"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
)

// A Scenario is a system and how it is measured.
type Scenario struct {
	Name   string            `json:"name"`
	System loopback.Config   `json:"system"` // its times count from the first message, warm-up included
	Holds  []loopback.Freeze `json:"holds"`  // when the connection takes no message, and holds up the sender
	Cell   plan.Cell         `json:"cell"`   // with constant arrivals
}

// Settings say how long and how fast to measure. Their zero fields mean the
// defaults.
type Settings struct {
	Duration time.Duration // of each window; 0: 5 s; at least 1 s
	Rate     int           // messages per second in open loop; 0: 1,000
}

// The shape of the cells.
const (
	delay      = 10 * time.Millisecond // the constant service time
	slowDelay  = 50 * time.Millisecond // in the slow phase
	warmup     = 500 * time.Millisecond
	timeout    = 2 * time.Second
	patience   = 250 * time.Millisecond // how long one message in flight waits for a reply that does not come
	serialRate = 50                     // with one in flight: half of the 100/s that a service time of 10 ms allows
	hold       = 20 * time.Millisecond
)

// Scenarios returns what `brokerbench verify` measures: each system in open loop
// and with one message in flight; then four connections; then a connection that
// holds up the sender.
func Scenarios(s Settings) []Scenario {
	s.Duration, s.Rate = cmp.Or(s.Duration, 5*time.Second), cmp.Or(s.Rate, 1000)
	stall := s.Duration / 5
	at, end := warmup+stall, warmup+s.Duration
	open, serial := plan.Shape{Rate: schedule.Rate(s.Rate), Size: 256, Connections: 1}, plan.Shape{Rate: serialRate, Size: 256, Connections: 1, InFlight: 1}
	var list []Scenario
	add := func(name string, shape plan.Shape, system loopback.Config, timeout time.Duration) *Scenario {
		system.Delay = delay
		list = append(list, Scenario{Name: name, System: system, Cell: plan.Cell{
			Target: plan.Target{Name: "tcp"}, Shape: shape,
			Settings: plan.Settings{Duration: s.Duration, Warmup: warmup, Timeout: timeout},
		}})
		return &list[len(list)-1]
	}
	each := func(name string, system loopback.Config, serialTimeout time.Duration) {
		add(name, open, system, timeout)
		add(name, serial, system, serialTimeout)
	}
	stalled := loopback.Config{Freezes: []loopback.Freeze{{At: at, For: stall}}}
	before := 3 * stall / 10
	each("constant service of 10 ms", loopback.Config{}, timeout)
	each(fmt.Sprintf("a stall of %v", stall), stalled, timeout)
	each(fmt.Sprintf("a stall of %v that begins %v before the end", stall, before),
		loopback.Config{Freezes: []loopback.Freeze{{At: end - before, For: stall}}}, timeout)
	each(fmt.Sprintf("a slow phase: 50 ms for %v", stall), loopback.Config{Slow: []loopback.Phase{{At: at, For: stall, Delay: slowDelay}}}, timeout)
	each("2 % never answered", loopback.Config{Drop: 0.02}, patience)
	four := open
	four.Connections = 4
	add(fmt.Sprintf("a stall of %v, four connections", stall), four, stalled, timeout)
	add("a sender held up for 20 ms, ten times", open, loopback.Config{}, timeout).Holds = holds(s.Duration)
	return list
}

func holds(window time.Duration) (list []loopback.Freeze) {
	for at := window / 20; at < window; at += window / 10 {
		list = append(list, loopback.Freeze{At: warmup + at, For: hold})
	}
	return list
}

func (s Scenario) serial() bool { return s.Cell.Shape.InFlight == 1 }

// Mode returns how messages are sent, in words.
func (s Scenario) Mode() string {
	switch limit := s.Cell.Shape.InFlight; limit {
	case 0:
		return "open loop"
	case 1:
		return "one in flight"
	default:
		return fmt.Sprintf("at most %d in flight", limit)
	}
}

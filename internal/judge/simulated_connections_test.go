package judge

import (
	"fmt"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/leaf/simulation"
	"github.com/brokerbench/brokerbench/results"
)

// growingOf judges a window of some connections, each with a server for itself.
func growingOf(servers []server, seed uint64) *results.Growing {
	shortest := make([][]time.Duration, int(servers[0].window/time.Second))
	for i := range shortest {
		shortest[i] = make([]time.Duration, len(servers))
	}
	for conn, s := range servers {
		s.run(seed*1000+uint64(conn), func(from time.Duration, h *histogram.Histogram) {
			if at := int(from / time.Second); h.Count() > 0 {
				shortest[at][conn] = max(h.Min(), 1)
			}
		})
	}
	var c connections
	for _, list := range shortest {
		c.add(list, func() {})
	}
	return c.growing()
}

// TestSimulatedConnections is the proof of the rule rate for single connections.
func TestSimulatedConnections(t *testing.T) {
	runs, windows := 50, []time.Duration{10 * time.Second}
	if *simulation.Long {
		runs, windows = 400, []time.Duration{6 * time.Second, 10 * time.Second, 30 * time.Second, time.Minute}
	}
	page := simulation.NewPage(t, "connections", "# Is a connection overloaded?\n\nTen connections carry 100/s each, and each has a server for itself. "+
		"Made by `go test ./internal/judge -run Simulated -args -long`.")
	page.Table(fmt.Sprintf("%d windows each. Without a hot connection, every finding is false.", runs), "servers", "one of ten", "window", "found", "the right one alone")
	const usual = 5 * ms
	for _, r := range []struct {
		name, hot string
		all, one  server
		least     int // per cent of the windows of 10 s or more
		most      int // tenths of a per cent
	}{
		{"constant, half busy", "", server{service: steadily(usual)}, server{service: steadily(usual)}, 0, 10},
		{"M/D/1, 80 % busy", "", server{poisson: true, service: steadily(8 * ms)}, server{poisson: true, service: steadily(8 * ms)}, 0, 10},
		{"M/D/1, 98 % busy", "", server{poisson: true, service: steadily(9800 * time.Microsecond)}, server{poisson: true, service: steadily(9800 * time.Microsecond)}, 0, 10},
		{"M/G/1, log-normal σ 1, 98 % busy", "", server{poisson: true, service: lognormal(9800*time.Microsecond, 1)}, server{poisson: true, service: lognormal(9800*time.Microsecond, 1)}, 0, 10},
		{"constant arrivals, log-normal σ 1, 98 % busy", "", server{service: lognormal(9800*time.Microsecond, 1)}, server{service: lognormal(9800*time.Microsecond, 1)}, 0, 10},
		{"pauses of 200 ms every 5 s", "", server{service: steadily(ms), pause: 200 * ms, every: 5 * time.Second}, server{service: steadily(ms)}, 0, 10},
		{"constant, half busy", "1 % overloaded", server{service: steadily(usual)}, server{service: steadily(10100 * time.Microsecond)}, 95, 1000},
		{"constant, half busy", "0.2 % overloaded", server{service: steadily(usual)}, server{service: steadily(10020 * time.Microsecond)}, 95, 1000},
		{"constant, half busy", "1 % overloaded, log-normal σ 0.5", server{service: steadily(usual)}, server{service: lognormal(10100*time.Microsecond, 0.5)}, 0, 1000},
		{"M/D/1, half busy", "5 % overloaded, Poisson", server{poisson: true, service: steadily(usual)}, server{poisson: true, service: steadily(10500 * time.Microsecond)}, 0, 1000},
		{"M/D/1, half busy", "20 % overloaded, Poisson", server{poisson: true, service: steadily(usual)}, server{poisson: true, service: steadily(12 * ms)}, 10, 1000},
		{"constant, with pauses of 200 ms every 5 s", "1 % overloaded", server{service: steadily(usual), pause: 200 * ms, every: 5 * time.Second}, server{service: steadily(10100 * time.Microsecond)}, 95, 1000},
	} {
		for _, window := range windows {
			found, right := 0, 0
			for seed := range runs {
				servers := make([]server, 10)
				for i := range servers {
					if servers[i] = r.all; i == 3 {
						servers[i] = r.one
					}
					servers[i].rate, servers[i].window = 100, window
				}
				if g := growingOf(servers, uint64(seed)); g != nil {
					found++
					if g.Connections == 1 && r.hot != "" {
						right++
					}
				}
			}
			page.Row(r.name, r.hot, window.String(), simulation.Percent(found, runs), simulation.Percent(right, runs))
			if window >= 10*time.Second && found < runs*r.least/100 || found > max(1, runs*r.most/1000) {
				t.Errorf("%s, %s, %v: found in %d of %d", r.name, r.hot, window, found, runs)
			}
		}
	}
}

package plan

import (
	"math"
	"strings"
	"testing"
)

func TestABacklogInMessagesAndBytes(t *testing.T) {
	for _, c := range []struct {
		b    Backlog
		size int
		want int64
	}{{Backlog{Messages: 7}, 256, 7}, {Backlog{Bytes: 1024}, 256, 4}, {Backlog{Bytes: 1025}, 256, 5}, {Backlog{Bytes: math.MaxInt64}, 2, 1 << 62}, {Backlog{}, 256, 0}} {
		if got := c.b.Of(c.size); got != c.want {
			t.Errorf("%+v of %d B: %d, want %d", c.b, c.size, got, c.want)
		}
	}
}

func TestWhatABacklogDoesNotGoWith(t *testing.T) {
	groups := Shape{Size: 16, Connections: 2, Topology: Topology{1, 2, 1}, Backlog: Backlog{Messages: 1000}}
	if err := (Plan{}).checkBacklog(groups); err != nil {
		t.Error(err)
	}
	for want, change := range map[string]func(p *Plan, s *Shape){
		"needs groups of consumers": func(_ *Plan, s *Shape) { s.Topology = Topology{} },
		"limit in flight":           func(_ *Plan, s *Shape) { s.InFlight = 1 },
		"backlog and several sizes": func(_ *Plan, s *Shape) { s.Sizes = "16B:50%,32B:50%" },
		"does not fit":              func(_ *Plan, s *Shape) { s.Backlog = Backlog{Bytes: math.MaxInt64} },
		"357,913,941 at most":       func(_ *Plan, s *Shape) { s.Backlog = Backlog{Messages: 357_913_942} },
		"name a backlog":            func(p *Plan, s *Shape) { p.Settings.Cold, s.Backlog = true, Backlog{} },
		"and faults":                func(p *Plan, _ *Shape) { p.Settings.Faults = []Fault{{}} },
		"messages have one size":    func(_ *Plan, s *Shape) { s.Files.Count = 2 },
	} {
		p, s := Plan{}, groups
		change(&p, &s)
		if err := p.checkBacklog(s); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v", want, err)
		}
	}
}

// Two shapes that would share a folder are refused before the first is measured.
func TestShapesWithOneFolder(t *testing.T) {
	one := Shape{Rate: 1000, Size: 256, Connections: 2, Topology: Topology{1, 2, 1}, Backlog: Backlog{Messages: 4096}}
	two := one
	two.Backlog = Backlog{Bytes: 4096 * 256}
	p := Plan{Targets: []Target{{Name: "a", URL: "loopback:"}}, Shapes: []Shape{one, two}, Repeat: 1}
	if err := p.Validate(); err == nil || !strings.Contains(err.Error(), "same folder") {
		t.Errorf("%v", err)
	}
}

package plan

import (
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/plan/schedule"
)

func TestWhatAFullStoreDoesNotGoWith(t *testing.T) {
	full := Shape{Size: 1024, Connections: 2, UntilStore: 4 << 30}
	if err := (Plan{Settings: Settings{Cold: true}}).checkBacklog(full); err != nil {
		t.Error(err)
	}
	for want, change := range map[string]func(p *Plan, s *Shape){
		"both fill the store":        func(_ *Plan, s *Shape) { s.Backlog, s.Topology = Backlog{Messages: 1}, Topology{1, 2, 1} },
		"name bytes with their unit": func(_ *Plan, s *Shape) { s.UntilStore = 4096 },
		"and several sizes":          func(_ *Plan, s *Shape) { s.Sizes = "16B:50%,32B:50%" },
		"fit into ledgers":           func(_ *Plan, s *Shape) { s.Size, s.UntilStore = 16, 1<<40 },
		"and an echo":                func(p *Plan, _ *Shape) { p.Settings.Echo = EchoProcess },
		"messages have one size":     func(_ *Plan, s *Shape) { s.Files.Count = 2 },
	} {
		p, s := Plan{}, full
		change(&p, &s)
		if err := p.checkBacklog(s); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v", want, err)
		}
	}
	cell := Cell{Shape: full}
	if _, err := cell.Part(schedule.Part{Index: 0, Of: 2}); err == nil || !strings.Contains(err.Error(), "agents cannot fill a store") {
		t.Error(err)
	}
	empty := full
	empty.UntilStore = 0
	if full.ID() == empty.ID() || !strings.HasSuffix(full.String(), "store of 4096MiB") {
		t.Errorf("%s, %s", full.ID(), full)
	}
}

// The estimate has the floor of the disk of targets that promise that messages are on it.
func TestThePlanTakesTheFloorsOfDisks(t *testing.T) {
	took := func(url string, s *System) time.Duration {
		p := Plan{Targets: []Target{{Name: "a", URL: url, System: s}}, Shapes: []Shape{{Rate: 1000, Size: 64, Connections: 1}}, Settings: Settings{Duration: time.Minute, Floor: true}}
		return p.Took()
	}
	known, elsewhere := &System{Nodes: []Node{{Data: "/srv"}}}, &System{Nodes: []Node{{Data: "/srv", On: "ssh://vm4"}}}
	none := took("nats://h:4222?durability=machine", nil)
	for url, s := range map[string]*System{"local:nats,durability=machine": nil, "local:kafka?durability=node": nil, "nats://h:4222?stream=file&durability=machine": known} {
		if got := took(url, s); got != none+2*DiskFloor {
			t.Errorf("%s: %v", url, got)
		}
	}
	for url, s := range map[string]*System{"local:nats?stream=file": nil, "local:nats,durability=process": nil, "nats://h:4222?durability=machine": elsewhere} {
		if got := took(url, s); got != none {
			t.Errorf("%s: %v", url, got)
		}
	}
}

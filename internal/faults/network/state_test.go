package network

import (
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/relay"
)

// What is not let through is dropped at the port of its machine, whoever speaks with it.
func TestRules(t *testing.T) {
	got := rulesOf([]relay.State{{}, {Deaf: true, Mute: true}, {Mute: true, Delay: 1}})
	want := []string{`oifname "port2" drop`, `iifname "port2" drop`, `iifname "port3" drop`}
	var drops []string
	for line := range strings.Lines(got) {
		if strings.Contains(line, "drop") {
			drops = append(drops, strings.TrimSpace(line))
		}
	}
	if !slices.Equal(drops, want) {
		t.Errorf("got %s", got)
	}
	if whole := rulesOf(make([]relay.State, 3)); strings.Contains(whole, "drop") || !strings.Contains(whole, "policy accept") {
		t.Errorf("a whole network: %s", whole)
	}
}

func TestShapes(t *testing.T) {
	slow := relay.State{Delay: 20 * time.Millisecond, Jitter: 5 * time.Millisecond, Loss: 0.015, Throttle: 1000}
	for _, c := range []struct {
		kernel shapes
		state  relay.State
		can    bool
		want   string
	}{
		{shapes{}, relay.State{Deaf: true}, true, ""},
		{shapes{}, relay.State{Throttle: 1}, false, ""},
		{shapes{tbf: true}, slow, false, ""},
		{shapes{tbf: true}, relay.State{Throttle: 1000}, true, "tbf rate 1000bps burst 131072 limit 4194304"},
		{shapes{netem: true}, slow, true, "netem limit 100000 delay 20000us 5000us loss 1.5% rate 1000bps"},
		{shapes{netem: true, tbf: true}, relay.State{Loss: 0.5}, true, "netem limit 100000 loss 50% rate 100000000000bps"},
	} {
		if got := c.kernel.can(c.state); got != c.can {
			t.Errorf("%+v, %+v: %v", c.kernel, c.state, got)
		}
		if !c.can {
			continue
		}
		if got := strings.Join(c.kernel.of(c.state), " "); got != c.want {
			t.Errorf("%+v, %+v: got %s, want %s", c.kernel, c.state, got, c.want)
		}
	}
}

// A subnet that this machine knows a way to is not taken, but for the way to everywhere.
func TestFreeSubnets(t *testing.T) {
	known, err := parseRoutes(`[{"dst":"default","dev":"a"},{"dst":"198.18.0.0/16"},{"dst":"198.19.7.9","dev":"b"},{"dst":"10.213.0.0/17"},{"dst":"0.0.0.0/0"}]`)
	if err != nil {
		t.Fatal(err)
	}
	free := 0
	for i, s := range subnets() {
		taken := s.first.As4()[1] == 18 || s.address(0) == "198.19.7.0" || s.first.Is4() && s.first.As4()[0] == 10 && s.first.As4()[2] < 128
		if s.free(known) == taken {
			t.Errorf("%v is free: %v", s.first, !taken)
		}
		if !taken {
			free++
		}
		if ours := netip.MustParsePrefix("198.18.0.0/15").Contains(s.first); ours != (i < 512) {
			t.Errorf("%v is number %d", s.first, i)
		}
		if len(s.link()) > 15 {
			t.Errorf("%s is no name of a link", s.link())
		}
	}
	if free != 255+128 {
		t.Errorf("%d are free", free)
	}
	if _, err := parseRoutes("x"); err == nil {
		t.Error("no JSON is no error")
	}
}

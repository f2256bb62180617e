package config_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/config"
	"github.com/brokerbench/brokerbench/plan"
)

// Faults are in the order in which they begin, whatever the file's.
func TestFaultsAreRead(t *testing.T) {
	p := load(t, `
duration: 2m
faults:
  - {at: 20s, do: pause, node: any-follower, for: 3s}
  - {at: 10s, do: kill, node: leader, restart: 5s}
  - {at: 50s, do: slow, node: all, delay: 20ms, jitter: 5ms, loss: 1%, throttle: 1MiB/s, for: 5s}
  - {at: 30s, do: stop, node: 2}
  - {at: 70s, run: [kubectl, delete, pod, 1]}
  - {at: 0, pause: consumers, for: 30s}
  - {at: 80s, do: power-off, node: 1, fresh: on}
`, nil)
	want := []plan.Fault{
		{Do: plan.ConsumerPause, Node: plan.Consumers, For: 30 * time.Second},
		{At: 10 * time.Second, Do: plan.Kill, Node: plan.Leader, Restart: 5 * time.Second},
		{At: 20 * time.Second, Do: plan.Pause, Node: plan.AnyFollower, For: 3 * time.Second},
		{At: 30 * time.Second, Do: plan.Stop, Node: "2"},
		{At: 50 * time.Second, Do: plan.Slow, Node: plan.AllNodes, Delay: 20 * time.Millisecond, Jitter: 5 * time.Millisecond, Loss: 0.01, Throttle: 1 << 20, For: 5 * time.Second},
		{At: 70 * time.Second, Do: plan.Run, Command: []string{"kubectl", "delete", "pod", "1"}},
		{At: 80 * time.Second, Do: plan.PowerOff, Node: "1", Fresh: true},
	}
	if got := p.Settings.Faults; fmt.Sprint(got) != fmt.Sprint(want) || fmt.Sprintf("%+v", got[4]) != fmt.Sprintf("%+v", want[4]) || !got[6].Fresh {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
}

// A window that a flag makes shorter may end before a fault.
func TestAFaultAfterTheEndOfAFlag(t *testing.T) {
	text := []byte("faults: [{at: 10s, do: kill, node: leader}]")
	_, err := config.Parse("p", text, config.Overrides{Flags: config.Values{"duration": {"5s"}}}, testOptions())
	if err == nil {
		t.Error("no mistake")
	}
}

func TestReadFaultOfFlags(t *testing.T) {
	f, err := config.ReadFault(map[string]string{"do": "cut", "node": "leader", "at": "1s", "for": "2s"}, nil)
	if err != nil || f.Do != plan.Cut || f.Node != plan.Leader || f.At != time.Second || f.For != 2*time.Second {
		t.Error(f, err)
	}
	if _, err := config.ReadFault(map[string]string{"at": "soon"}, nil); err == nil {
		t.Error("no mistake")
	}
}

package plan_test

import (
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/plan"
)

const window = 30 * time.Second

func TestGoodFaults(t *testing.T) {
	for _, f := range []plan.Fault{
		{Do: plan.Kill, Node: plan.Leader},
		{At: window - 1, Do: plan.Stop, Node: "2", Restart: time.Minute},
		{Do: plan.Pause, Node: plan.AnyFollower, For: time.Second},
		{Do: plan.Cut, Node: plan.AllNodes},
		{Do: plan.HalfOpen, Node: plan.AnyNode},
		{Do: plan.Slow, Node: plan.AllNodes, Delay: 2, Jitter: 2, Loss: 0.5, Throttle: 1},
		{Do: plan.FillDisk, Node: "1", For: 1},
		{Do: plan.Run, Command: []string{"true"}},
		{Do: plan.ConsumerPause, Node: plan.Consumers, For: 1},
	} {
		if err := f.Validate(window); err != nil {
			t.Errorf("%v: %v", f, err)
		}
	}
}

func TestBadFaults(t *testing.T) {
	for want, f := range map[string]plan.Fault{
		"not before the end of the window, which is 30s":     {At: window, Do: plan.Kill, Node: plan.Leader},
		"at -1s is negative":                                 {At: -time.Second, Do: plan.Kill, Node: plan.Leader},
		`do "": want one of`:                                 {Node: plan.Leader},
		"a node is missing: leader, any-follower, any, all":  {Do: plan.Kill},
		"kill has no for":                                    {Do: plan.Kill, Node: "1", For: 1},
		"pause has no restart":                               {Do: plan.Pause, Node: "1", Restart: 1},
		"cut has no delay":                                   {Do: plan.Cut, Node: "1", Delay: 1},
		"slow needs a delay, a loss or a throttle":           {Do: plan.Slow, Node: "1"},
		"jitter 2ns is above the delay, 1ns":                 {Do: plan.Slow, Node: "1", Delay: 1, Jitter: 2},
		"fault slow 1 at 1s: delay is negative":              {At: time.Second, Do: plan.Slow, Node: "1", Delay: -1},
		"loss 100% is not between 0 and 100%":                {Do: plan.Slow, Node: "1", Loss: 1},
		"throttle is negative":                               {Do: plan.Slow, Node: "1", Delay: 1, Throttle: -1},
		"for is negative":                                    {Do: plan.Pause, Node: "1", For: -1},
		"run is empty":                                       {Do: plan.Run},
		"run has no node":                                    {Do: plan.Run, Command: []string{"a"}, Node: "1"},
		"kill has no run":                                    {Do: plan.Kill, Command: []string{"a"}, Node: "1"},
		"for is missing: how long the consumers read":        {Do: plan.ConsumerPause, Node: plan.Consumers},
		"consumers can only be paused":                       {Do: plan.Kill, Node: plan.Consumers},
		"fault kill leader at 31s: at 31s is not before the": {At: 31 * time.Second, Do: plan.Kill, Node: plan.Leader},
	} {
		err := f.Validate(window)
		if strings.HasPrefix(want, "fault ") {
			err = plan.Settings{Duration: window, Timeout: 1, Faults: []plan.Fault{f}}.Validate()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: got %v, want %s", f, err, want)
		}
	}
}

func TestAFaultNeedsItsNode(t *testing.T) {
	one, three := plan.System{Nodes: []plan.Node{{Name: "a"}}}, plan.System{Nodes: []plan.Node{{Name: "1", Data: "d"}, {Name: "2"}, {Name: "3"}}}
	for _, c := range []struct {
		system plan.System
		f      plan.Fault
		want   string // "": none
	}{
		{one, plan.Fault{Do: plan.Kill, Node: "a"}, ""},
		{one, plan.Fault{Do: plan.Kill, Node: plan.Leader}, ""},
		{one, plan.Fault{Do: plan.Kill, Node: "b"}, `there is no node "b": want leader, any-follower, any, all, or one of a`},
		{one, plan.Fault{Do: plan.Kill, Node: plan.AnyFollower}, "the only node has no follower"},
		{three, plan.Fault{Do: plan.Kill, Node: "4"}, "or one of 1, 2, 3"},
		{three, plan.Fault{Do: plan.FillDisk, Node: "1"}, ""},
		{three, plan.Fault{Do: plan.FillDisk, Node: plan.AnyNode}, "where node 2 keeps its data is not known"},
		{three, plan.Fault{Do: plan.Run, Command: []string{"a"}}, ""},
		{three, plan.Fault{Do: plan.ConsumerPause, Node: plan.Consumers, For: 1}, ""},
	} {
		err := c.system.CheckFault(c.f)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v: got %v, want %q", c.f, err, c.want)
		}
	}
}

func TestWhenAFaultEnds(t *testing.T) {
	for _, c := range []struct {
		f    plan.Fault
		at   time.Duration
		ends bool
	}{
		{plan.Fault{At: 10, Do: plan.Kill, Restart: 5}, 15, true},
		{plan.Fault{At: 10, Do: plan.Cut, For: 7}, 17, true},
		{plan.Fault{At: 10, Do: plan.Kill}, 10, false},
	} {
		if at, ends := c.f.Ends(); at != c.at || ends != c.ends {
			t.Errorf("%+v ends at %v, %v", c.f, at, ends)
		}
	}
}

// A cell waits before its first message if nodes are to write their buffers before a fault.
func TestTookHasTheWaitBeforePowerCuts(t *testing.T) {
	for want, faults := range map[time.Duration][]plan.Fault{
		32 * time.Second:                  {{Do: plan.PowerOff, Node: "1", Fresh: true}, {Do: plan.Kill, Node: "1"}},
		32*time.Second + 16*plan.Settling: {{Do: plan.PowerOff, Node: "1"}, {Do: plan.PowerOff, Node: "2"}},
	} {
		p := valid()
		p.Settings.Faults = faults
		if took := p.Took(); took != want {
			t.Errorf("%v: %v, want %v", faults, took, want)
		}
	}
}

package coordinator

import (
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/agents/wire"
)

const second = time.Second

// hears has a roster of one agent hear of one of its processes.
func hears(r *roster, at time.Duration, epoch string, change func(*wire.Beat)) wire.Reply {
	b := wire.Beat{Agent: "a1", Epoch: epoch, Version: "v1", State: wire.Idle}
	if change != nil {
		change(&b)
	}
	return r.answer(b, at)
}

func newTestRoster() *roster {
	return newRoster(Config{Run: "run", Agents: []string{"a1"}, Version: "v1", Lease: 10 * second}.withDefaults(), time.Now())
}

// An agent that is started again before the lease of the process before is over waits: it is no
// twin.
func TestAnAgentThatIsStartedAgainWaitsForItsSeat(t *testing.T) {
	r := newTestRoster()
	hears(r, 1*second, "old", nil)
	for at := 2 * second; at < 11*second; at += second {
		if reply := hears(r, at, "new", nil); reply.Refused != "" || reply.Lease == 0 || r.all()[0].epoch != "old" {
			t.Fatalf("at %v: %+v, the seat is %s's", at, reply, r.all()[0].epoch)
		}
	}
	if reply := hears(r, 11*second, "new", nil); reply.Refused != "" || r.all()[0].epoch != "new" {
		t.Errorf("after the lease: %+v, the seat is %s's", reply, r.all()[0].epoch)
	}
}

// A second process with one name is refused once it is seen that the first one lives.
func TestATwinIsRefused(t *testing.T) {
	r := newTestRoster()
	hears(r, 1*second, "old", nil)
	if reply := hears(r, 2*second, "new", nil); reply.Refused != "" {
		t.Errorf("%+v: the other may be dead", reply)
	}
	hears(r, 3*second, "old", nil)
	if reply := hears(r, 4*second, "new", nil); !strings.Contains(reply.Refused, "another process is agent a1") {
		t.Errorf("%+v", reply)
	}
}

// The user hears at once why a process may not take part, and not at each of its beats.
func TestTheUserHearsOfARefusal(t *testing.T) {
	r := newTestRoster()
	var said []string
	r.say = func(text string) { said = append(said, text) }
	for at := second; at < 4*second; at += second {
		reply := hears(r, at, "e", func(b *wire.Beat) { b.Version, b.Environment.Host = "v2", "vm1" })
		if want := "this is brokerbench v2, and the coordinator v1"; reply.Refused != want || len(said) != 1 || said[0] != "agent a1 on vm1 is refused: "+want {
			t.Errorf("%+v, %q", reply, said)
		}
	}
}

// An agent that leaves is as good as gone, frees its seat when it goes, and does not come back.
func TestTheSeatOfAnAgentThatLeaves(t *testing.T) {
	leaving := func(state wire.State) func(*wire.Beat) {
		return func(b *wire.Beat) { b.Leaving, b.State = true, state }
	}
	r := newTestRoster()
	hears(r, 1*second, "old", nil)
	hears(r, 2*second, "old", leaving(wire.Running))
	if r.missing(2*second) == nil || r.all()[0].epoch != "old" {
		t.Error("one that still delivers would get another task, or has lost its seat")
	}
	hears(r, 2100*time.Millisecond, "new", nil)
	hears(r, 2200*time.Millisecond, "old", leaving(wire.Running))
	if reply := hears(r, 2300*time.Millisecond, "new", nil); reply.Refused != "" {
		t.Errorf("%+v: the other makes way", reply)
	}
	for range 2 { // it repeats itself until it is answered
		hears(r, 3*second, "old", leaving(wire.Delivered))
		if s := r.all()[0]; s.epoch != "" || s.last.State != wire.Delivered || s.joins != 1 {
			t.Errorf("%+v", s)
		}
	}
	if hears(r, 3*second, "new", nil); r.all()[0].epoch != "new" || r.missing(3*second) != nil {
		t.Error("its seat is not free")
	}
}

// Nobody comes into a cell that has begun, also not into a seat that is free.
func TestNobodyJoinsACell(t *testing.T) {
	r := newTestRoster()
	hears(r, 1*second, "old", nil)
	r.play(true)
	r.leave("a1")
	if reply := hears(r, 2*second, "new", nil); reply.Refused != "" || r.all()[0].epoch != "" || r.all()[0].last.Epoch != "old" {
		t.Errorf("%+v, %+v", reply, r.all()[0])
	}
	r.play(false)
	if hears(r, 3*second, "new", nil); r.all()[0].epoch != "new" {
		t.Error("it does not come in after the cell")
	}
}

package load_test

import (
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/internal/loopback"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
)

// deliveries keeps every op, and every delivery of the window.
type deliveries struct {
	keeper
	all list[load.Delivery]
}

func (d *deliveries) RecordDelivery(one load.Delivery) { d.all.add(one) }

// times returns the sorted responses of the deliveries that a function wants.
func (d *deliveries) times(want func(load.Delivery) bool) (times []time.Duration) {
	for _, one := range d.all.all {
		if !one.Warmup && want(one) {
			times = append(times, one.Response())
		}
	}
	slices.Sort(times)
	return times
}

func first(d load.Delivery) bool { return d.First }

func ofGroup(g int) func(load.Delivery) bool {
	return func(d load.Delivery) bool { return d.Group == g }
}

// grouped runs a configuration with a topology in virtual time.
func grouped(t *testing.T, system loopback.Config, cfg load.Config) (load.Outcome, *deliveries) {
	t.Helper()
	f, err := loopback.New(system)
	if err != nil {
		t.Fatal(err)
	}
	d := new(deliveries)
	return virtually(t, f, cfg, d), d
}

// groupsOf returns systems of groups that delay by a millisecond, with changes by group.
func groupsOf(n int, changed map[int]loopback.Config) loopback.Config {
	cfg := loopback.Config{Groups: make([]loopback.Config, n)}
	for g := range n {
		one := changed[g]
		one.Delay = ms
		cfg.Groups[g] = one
	}
	return cfg
}

func wantGroup(t *testing.T, o load.Outcome, group int, want load.Group) {
	t.Helper()
	got := o.Groups[group]
	if got.Ledger != want.Ledger || got.Duplicate != want.Duplicate || got.Disordered != want.Disordered {
		t.Errorf("group %d: %+v, want %+v", group, got, want)
	}
	if want.Members != nil && !slices.Equal(got.Members, want.Members) {
		t.Errorf("group %d: messages by member %v, want %v", group, got.Members, want.Members)
	}
}

func TestAPausedGroupMovesTheLastAndLeavesTheFirst(t *testing.T) {
	system := groupsOf(3, map[int]loopback.Config{1: {Freezes: []loopback.Freeze{{At: 5 * time.Second, For: time.Second}}}})
	o, d := grouped(t, system, load.Config{Schedule: constant(1000, 10*time.Second), Connections: 4, Topology: requester.Topology{Topics: 2, Groups: 3, Members: 2}})
	wantLedger(t, o.Window, load.Ledger{Due: 10_000, Done: 10_000})
	last := d.sorted(load.Op.Response)
	for what, times := range map[string][]time.Duration{"last": last, "each of group 1": d.times(ofGroup(1))} {
		wantTime(t, what+" p50", quantile(times, 50), ms)
		wantTime(t, what+" p95", quantile(times, 95), 500*ms)
		wantTime(t, what+" max", quantile(times, 100), time.Second)
	}
	for what, times := range map[string][]time.Duration{"first": d.times(first), "each of group 0": d.times(ofGroup(0)), "each of group 2": d.times(ofGroup(2))} {
		if len(times) != 10_000 {
			t.Errorf("%s: %d values", what, len(times))
		}
		wantTime(t, what+" max", quantile(times, 100), ms)
	}
	for g := range 3 {
		wantGroup(t, o, g, load.Group{Ledger: load.Ledger{Due: 10_000, Done: 10_000}, Members: []int64{5000, 5000}})
	}
}

func TestALostDeliveryIsOwedAndNamesItsGroup(t *testing.T) {
	system := groupsOf(3, map[int]loopback.Config{2: {Drop: 1. / 10_000}})
	o, d := grouped(t, system, load.Config{Schedule: constant(10_000, 10*time.Second), Timeout: time.Second, Connections: 10, Topology: requester.Topology{Topics: 1, Groups: 3, Members: 1}})
	wantLedger(t, o.Window, load.Ledger{Due: 100_000, Done: 99_990, Lost: 10})
	whole := load.Group{Ledger: load.Ledger{Due: 100_000, Done: 100_000}}
	wantGroup(t, o, 0, whole)
	wantGroup(t, o, 1, whole)
	wantGroup(t, o, 2, load.Group{Ledger: load.Ledger{Due: 100_000, Done: 99_990, Lost: 10}})
	if n := len(d.all.all); n != 299_990 {
		t.Errorf("%d deliveries", n)
	}
	if n := len(d.times(first)); n != 100_000 {
		t.Errorf("%d first deliveries", n)
	}
}

// The member that dies after 5 s had received 500 messages: of its last 50, which it had not
// acknowledged, each comes again, and what was on its way comes for the first time.
func TestTheShareOfADeadMemberComesAgain(t *testing.T) {
	system := groupsOf(2, map[int]loopback.Config{1: {Death: &loopback.Death{Member: 0, At: 5*time.Second + ms/2, Unacked: 50}}})
	o, d := grouped(t, system, load.Config{Schedule: constant(200, 10*time.Second), Timeout: time.Second, Topology: requester.Topology{Topics: 1, Groups: 2, Members: 2}})
	wantLedger(t, o.Window, load.Ledger{Due: 2000, Done: 2000})
	wantGroup(t, o, 0, load.Group{Ledger: load.Ledger{Due: 2000, Done: 2000}, Members: []int64{1000, 1000}})
	// Message 1000 was on its way to member 0; member 1 has no later one yet.
	wantGroup(t, o, 1, load.Group{Ledger: load.Ledger{Due: 2000, Done: 2000}, Duplicate: 50, Members: []int64{500, 1500}})
	if o.Strays.Duplicate != 50 || len(d.all.all) != 4000 {
		t.Errorf("%+v, %d deliveries", o.Strays, len(d.all.all))
	}
}

func TestADuplicateIsCountedInItsGroupBeforeAndAfterTheLast(t *testing.T) {
	system := groupsOf(2, map[int]loopback.Config{0: {Duplicate: 0.1}, 1: {Duplicate: 0.5}})
	system.Groups[1].Delay = 2 * ms // those of group 0 come before the last group has the message
	o, d := grouped(t, system, load.Config{Schedule: constant(1000, time.Second), Topology: requester.Topology{Topics: 1, Groups: 2, Members: 1}})
	whole := load.Ledger{Due: 1000, Done: 1000}
	wantLedger(t, o.Window, whole)
	wantGroup(t, o, 0, load.Group{Ledger: whole, Duplicate: 100})
	wantGroup(t, o, 1, load.Group{Ledger: whole, Duplicate: 500})
	if o.Strays.Duplicate != 600 || len(d.all.all) != 2000 {
		t.Errorf("%+v, %d deliveries", o.Strays, len(d.all.all))
	}
}

// A slow phase ends at 5 s: what was sent at its end comes after what was sent later.
func TestDisorderIsCountedAtItsMember(t *testing.T) {
	slow := loopback.Config{Slow: []loopback.Phase{{At: 4 * time.Second, For: time.Second, Delay: 11 * ms}}}
	o, d := grouped(t, groupsOf(2, map[int]loopback.Config{1: slow}), load.Config{Schedule: constant(1000, 10*time.Second), Topology: requester.Topology{Topics: 1, Groups: 2, Members: 1}})
	wantGroup(t, o, 0, load.Group{Ledger: load.Ledger{Due: 10_000, Done: 10_000}})
	wantGroup(t, o, 1, load.Group{Ledger: load.Ledger{Due: 10_000, Done: 10_000}, Disordered: 9})
	disordered := 0
	for _, op := range d.ops.all {
		if op.Disordered {
			disordered++
		}
	}
	if disordered != 9 {
		t.Errorf("%d ops are disordered, want 9", disordered)
	}
}

func TestOneGroupOfOneMemberEqualsOwn(t *testing.T) {
	for name, system := range map[string]loopback.Config{
		"at once": {}, "delay": {Delay: ms}, "freeze": {Delay: ms, Freezes: []loopback.Freeze{{At: time.Second, For: time.Second}}},
		"drop": {Delay: ms, Drop: 0.01}, "corrupt": {Delay: ms, Corrupt: 0.02}, "duplicate": {Delay: ms, Duplicate: 0.03},
	} {
		for _, inFlight := range []int{0, 1} {
			cfg := load.Config{Schedule: constant(500, 4*time.Second), Warmup: time.Second, Timeout: time.Second, Size: 64, Connections: 1, InFlight: inFlight}
			own, k := grouped(t, system, cfg)
			cfg.Topology = requester.Topology{Topics: 1, Groups: 1, Members: 1}
			o, d := grouped(t, system, cfg)
			if o.Window != own.Window || o.Warmup != own.Warmup || o.Strays != own.Strays || o.Groups[0].Ledger != own.Window {
				t.Errorf("%s, %d in flight: %+v %+v %+v %+v,\nown %+v %+v %+v", name, inFlight, o.Window, o.Warmup, o.Strays, o.Groups[0], own.Window, own.Warmup, own.Strays)
			}
			for what, of := range map[string]func(load.Op) time.Duration{"response": load.Op.Response, "service": load.Op.Service} {
				if !slices.Equal(d.sorted(of), k.sorted(of)) {
					t.Errorf("%s, %d in flight: the values of %s differ from own", name, inFlight, what)
				}
			}
			if !slices.Equal(d.times(first), d.sorted(load.Op.Response)) {
				t.Errorf("%s, %d in flight: with one group first is not last", name, inFlight)
			}
		}
	}
}

// The messages of a tenth of a second reach group 2 when ten thousand later ones have come, and a
// hundredth never reaches group 1.
func TestCopiesFollowStragglers(t *testing.T) {
	slow := loopback.Config{Slow: []loopback.Phase{{At: time.Second, For: 100 * ms, Delay: 5 * time.Second}}}
	o, d := grouped(t, groupsOf(3, map[int]loopback.Config{1: {Drop: 0.01}, 2: slow}), load.Config{
		Schedule: constant(5000, 10*time.Second), Timeout: 5 * time.Second, Connections: 3, Topology: requester.Topology{Topics: 3, Groups: 3, Members: 2},
	})
	wantLedger(t, o.Window, load.Ledger{Due: 50_000, Done: 49_500, Lost: 500})
	wantGroup(t, o, 0, load.Group{Ledger: load.Ledger{Due: 50_000, Done: 50_000}})
	wantGroup(t, o, 1, load.Group{Ledger: load.Ledger{Due: 50_000, Done: 49_500, Lost: 500}})
	wantGroup(t, o, 2, load.Group{Ledger: load.Ledger{Due: 50_000, Done: 50_000}, Disordered: 500})
	wantTime(t, "last max", quantile(d.sorted(load.Op.Response), 100), 5*time.Second)
	if o.Strays != (load.Strays{}) {
		t.Errorf("%+v", o.Strays)
	}
}

func TestAGroupThatReceivesNothingEndsTheRunBeforeItBegins(t *testing.T) {
	f, err := loopback.New(loopback.Config{})
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		cfg := load.Config{Schedule: constant(10, time.Second), Size: 16, NewWaiter: unlocked, Topology: requester.Topology{Topics: 1, Groups: 2, Members: 1}}
		o, err := load.Run(t.Context(), halfDeaf{f}, cfg, discard{}, load.Hooks{})
		if err == nil || o.Groups != nil {
			t.Fatalf("%+v, %v", o, err)
		}
	})
}

// halfDeaf is a loopback whose group 1 receives nothing.
type halfDeaf struct{ *loopback.Factory }

func (d halfDeaf) NewConsumer(m requester.Member, sink requester.Sink) (requester.Consumer, error) {
	if m.Group == 1 {
		sink.Reply = func([]byte) {}
	}
	return d.Factory.NewConsumer(m, sink)
}

func TestASystemWithoutGroupsRefuses(t *testing.T) {
	cfg := load.Config{Schedule: constant(10, time.Second), Size: 16, Topology: requester.Topology{Topics: 1, Groups: 2, Members: 1}}
	_, err := load.Run(t.Context(), sleeper(ms), cfg, discard{}, load.Hooks{})
	var refused *requester.TopologyError
	if !errors.As(err, &refused) || refused.Topology != cfg.Topology {
		t.Fatal(err)
	}
}

func TestWrongTopologies(t *testing.T) {
	for _, topology := range []requester.Topology{{Topics: 1, Groups: 65, Members: 1}, {Topics: 3, Groups: 1, Members: 1}, {Topics: 1, Groups: 1}, {Topics: 1, Members: 1}} {
		cfg := load.Config{Schedule: constant(10, time.Second), Size: 16, Connections: 2, Topology: topology}
		if cfg.Validate() == nil {
			t.Errorf("%+v is accepted", topology)
		}
	}
}

package measure

import (
	"math"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/judge"
	"github.com/brokerbench/brokerbench/internal/loopback"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// pausedUsers is a cell of 20 s on a system that stands still for a second every ten: of each pause, the messages that are
// due in the first 892.5 ms wait for more than 107 ms.
func pausedUsers(t *testing.T, objective string) (plan.Cell, loopback.Config) {
	t.Helper()
	cell := cellOf(400, 20*time.Second)
	cell.Shape.Connections = 4
	cell.Settings.Users = []plan.User{{Messages: 1}, {Messages: 8}, {Messages: 50}, {Messages: 200}, {Messages: 40, Parallel: true}}
	o, err := plan.ParseObjective(objective)
	if err != nil {
		t.Fatal(err)
	}
	cell.SLOs = []plan.Objective{o}
	return cell, loopback.Config{Delay: ms, Freezes: []loopback.Freeze{{At: 5 * time.Second, For: time.Second}, {At: 15 * time.Second, For: time.Second}}}
}

// The share of users who meet a pause is exact, and 1 − pⁿ is far from it.
func TestUsersOfASystemThatPauses(t *testing.T) {
	cell, system := pausedUsers(t, "p99<=107ms")
	c := virtual(t, system, cell, Options{})
	for i, want := range []struct {
		due, above int64 // users, and those of them who wait for more than 107 ms
	}{{8000, 716}, {1000, 96}, {160, 16}, {40, 8}, {200, 18}} {
		u := c.Users[i]
		if u.Due != want.due || u.Worst.Count != want.due || u.Worst.Missing != 0 || u.GivenUp != 0 || len(u.Over) != 1 {
			t.Fatalf("%v: %+v, want %d users", u.Kind, u, want.due)
		}
		o, share := u.Over[0], float64(want.above)/float64(want.due)
		naive := 1 - math.Pow(1-716./8000, float64(u.Kind.Messages))
		if math.Abs(o.Share-share) > 1e-9 || math.Abs(o.Naive-naive) > 1e-9 || o.Low > share || o.High < share || o.Limit != "p99<=107ms" || o.LimitNS != int64(107*ms) {
			t.Errorf("%v: %+v, want %v, naive %v", u.Kind, o, share, naive)
		}
		if (u.Sum == nil) != u.Kind.Parallel {
			t.Errorf("%v: sum %+v", u.Kind, u.Sum)
		}
		wantNear(t, u.Worst, 50, ms)
		wantNear(t, u.Worst, 100, time.Second)
	}
	wantNear(t, *c.Users[2].Sum, 50, 50*ms)
	if naive := c.Users[2].Naive(50); naive == nil || *naive < int64(800*ms) { // 0.5^(1/50) is p98.6 of the messages
		t.Errorf("naive p50: %v", naive)
	}
}

// An objective of a user brings the user, and is judged by the user's percentile.
func TestAnObjectiveOfUsers(t *testing.T) {
	for objective, want := range map[string]results.Outcome{
		"user(50).p50<2ms": results.Passed, "user(25).p99<100ms": results.Missed, "user(25).sum.p50<26ms": results.Passed, "user(40 in parallel).max<900ms": results.Missed,
	} {
		cell, system := pausedUsers(t, objective)
		cell.Settings.SLOObserved = true
		c := virtual(t, system, cell, Options{})
		if len(c.SLOs) != 1 || c.SLOs[0].Outcome != want {
			t.Errorf("%s: %+v", objective, c.SLOs)
		}
	}
}

// Repeats are judged by the users of all of them.
func TestAnObjectiveOfUsersOfRepeats(t *testing.T) {
	for objective, want := range map[string]results.Outcome{"user(50).p50<150ms": results.Passed, "user(50).p50>150ms": results.Missed} {
		cell, system := pausedUsers(t, objective)
		one := virtual(t, system, cell, Options{})
		list := judge.PooledSLOs([]*results.Cell{one, virtual(t, system, cell, Options{})})
		if one.SLOs[0].Outcome != want || len(list) != 1 || list[0].Outcome != want {
			t.Errorf("%s: %+v, of both %+v", objective, one.SLOs, list)
		}
	}
}

// Messages that never come leave users who never finish: they rank above all others.
func TestUsersWhoMissAMessage(t *testing.T) {
	cell := cellOf(100, 10*time.Second)
	cell.Settings.Users = []plan.User{{Messages: 10}}
	folder := newFolder(t, newStore(t), "x")
	c := virtual(t, loopback.Config{Delay: ms, Drop: 0.05}, cell, Options{Folder: folder})
	u := c.Users[0]
	if u.Due != 100 || u.Worst.Count+u.Worst.Missing != 100 || u.Worst.Missing < 20 || u.Worst.Missing > c.Ledger.Missing() {
		t.Errorf("%+v with %+v", u, c.Ledger)
	}
	if row, _ := u.Worst.At(99); row.ValueNS != nil || row.Trusted {
		t.Errorf("p99 is %+v", row)
	}
	wantLog(t, folder, map[string]int64{"user1-worst": u.Worst.Count, "user1-sum": u.Worst.Count})
	if read, err := folder.Read(); err != nil || len(read.Users) != 1 || read.Users[0].Kind != u.Kind || read.Plan.Settings.Users[0] != u.Kind {
		t.Errorf("%+v, %v", read.Users, err)
	}
}

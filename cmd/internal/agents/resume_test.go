//go:build unix

package agents

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/results"
)

// waits starts a run that waits for agents, and them.
func waits(t *testing.T, dir string, n int, more ...string) (coordinator *run, started []*run) {
	t.Helper()
	coordinator = measures(t, dir, append([]string{"--agents", fmt.Sprintf("wait:%d", n)}, more...)...)
	coordinator.wants("--join FILE")
	for _, file := range joinFiles(t, dir, n) {
		started = append(started, begin(t, dir, nil, "agent", "--join", file))
	}
	return coordinator, started
}

// joinFiles returns those of so many agents, and wants each to hold the key of its agent alone.
func joinFiles(t *testing.T, dir string, n int) (files []string) {
	t.Helper()
	for i := range n {
		found, _ := filepath.Glob(filepath.Join(dir, "state", "brokerbench", "*", "join", fmt.Sprintf("%d.json", i)))
		if len(found) != 1 {
			t.Fatalf("join files of agent %d: %v", i, found)
		}
		text, err := os.ReadFile(found[0])
		if err != nil || strings.Count(string(text), `"secret"`) != 1 {
			t.Errorf("%s, %v: want one secret", text, err)
		}
		files = append(files, found[0])
	}
	return files
}

// killed ends a coordinator by a signal that it cannot handle.
func (r *run) killed() {
	r.t.Helper()
	signals(r.t, r.cmd.Process.Pid, syscall.SIGKILL)
	r.end()
}

// resumes resumes the last run and waits for its end, which must be a good one.
func resumes(t *testing.T, dir string) *run {
	t.Helper()
	again := begin(t, dir, nil, "resume", filepath.Join(dir, "out", results.LatestLink), "--report", "off")
	if code := again.end(); code != 0 {
		t.Fatalf("exit code %d: %s", code, again.out.String())
	}
	return again
}

// The coordinator is killed in the second of three cells: the next one measures that cell again,
// on the same agents, and goes on.
func TestARunGoesOnAfterItsCoordinator(t *testing.T) {
	needsProc(t)
	t.Parallel()
	dir := t.TempDir()
	r, started := waits(t, dir, 3, "--rate", "300,600,900", "--lease", "2s")
	r.under("[2/3] loopback, 1 KiB at 600/s, 6 connections")
	time.Sleep(time.Second)
	r.killed()
	time.Sleep(4 * time.Second) // the agents stop when their lease ends
	again := resumes(t, dir)
	cells := again.cells()
	if len(cells) != 3 {
		t.Fatalf("%d cells: %s", len(cells), again.out.String())
	}
	for _, c := range cells {
		want := int64(4 * c.Plan.Shape.Rate)
		if c.Ledger.Due != want || c.Ledger.Done != want || c.Interrupted || len(c.Agents) != 3 {
			t.Errorf("%s: %+v, interrupted: %v, by %d agents; want %d done", c.ID, c.Ledger, c.Interrupted, len(c.Agents), want)
		}
	}
	for _, a := range started {
		if code := a.end(); code != 0 {
			t.Errorf("an agent: exit code %d: %s", code, a.out.String())
		}
		if n := strings.Count(a.out.String(), "part "); n != 4 {
			t.Errorf("an agent measured %d times, want 4: %s", n, a.out.String())
		}
	}
	if over := begin(t, dir, nil, "resume", filepath.Join(dir, "out", results.LatestLink)); over.end() != 2 {
		t.Errorf("what is over is resumed: %s", over.out.String())
	}
}

// Agents that were started by the coordinator have ended with it: the cell under way is
// measured again by others, and those before it are kept.
func TestARunOnProcessesOfThisMachineGoesOn(t *testing.T) {
	needsProc(t)
	t.Parallel()
	dir := t.TempDir()
	r := measures(t, dir, "--agents", "local:2", "--rate", "300,600")
	r.under("[2/2] loopback, 1 KiB at 600/s, 6 connections")
	before := r.only().Started
	r.killed()
	again := resumes(t, dir)
	cells := again.cells()
	if len(cells) != 2 || cells[0].Plan.Shape.Rate != 300 || !cells[0].Started.Equal(before) || cells[1].Ledger.Done != 2400 {
		t.Errorf("%d cells: %s", len(cells), again.out.String())
	}
}

// Two runs at once on the same machines disturb each other: the second one ends at once, and names the
// first. The first does not notice.
func TestTwoRunsOnTheSameMachine(t *testing.T) {
	needsProc(t)
	t.Parallel()
	first := measures(t, t.TempDir(), "--agents", "local:2", "--duration", "12s")
	first.under("[1/1] loopback, 1 KiB at 300/s, 6 connections")
	second := measures(t, t.TempDir(), "--agents", "local:2", "--rate", "300,600")
	if code := second.end(); code != 1 {
		t.Errorf("exit code %d: %s", code, second.out.String())
	}
	said := second.out.String()
	if !strings.Contains(said, "measures on this machine (process ") || !strings.Contains(said, "agent a") || strings.Contains(said, "given up") {
		t.Error(said)
	}
	if code := first.end(); code != 0 {
		t.Errorf("exit code %d: %s", code, first.out.String())
	}
	if c := first.only(); c.Ledger.Done != 3600 {
		t.Errorf("%+v", c.Ledger)
	}
	third := measures(t, t.TempDir(), "--agents", "local:2")
	if code := third.end(); code != 0 {
		t.Errorf("after the first: exit code %d: %s", code, third.out.String())
	}
}

func TestAgentsThatMayNotTakePart(t *testing.T) {
	needsProc(t)
	t.Parallel()
	dir := t.TempDir()
	r, started := waits(t, dir, 2)
	r.wants("on 2 agents")
	twin := begin(t, dir, nil, "agent", "--join", joinFiles(t, dir, 2)[1])
	if code := twin.end(); code != 1 || !strings.Contains(twin.out.String(), "refused by the coordinator: another process is agent a2") {
		t.Errorf("exit code %d: %s", code, twin.out.String())
	}
	if code := r.end(); code != 0 {
		t.Errorf("exit code %d: %s", code, r.out.String())
	}
	whole(t, r.only(), 2)
	for _, a := range started {
		a.end()
	}
}

// The coordinator is killed, and its agents measure to the end before their lease ends: the next
// one collects that, and measures nothing again.
func TestResumeCollectsWhatAgentsHave(t *testing.T) {
	needsProc(t)
	t.Parallel()
	dir := t.TempDir()
	r, started := waits(t, dir, 2)
	r.under("[1/1] loopback, 1 KiB at 300/s, 6 connections")
	time.Sleep(time.Second)
	r.killed()
	begun := time.Now()
	time.Sleep(6 * time.Second) // they are done, and can deliver to none
	again := resumes(t, dir)
	c := again.only()
	whole(t, c, 2)
	if c.Interrupted || !c.Started.Before(begun) || !strings.Contains(again.out.String(), "their results are collected") {
		t.Errorf("interrupted: %v, began %v: %s", c.Interrupted, c.Started, again.out.String())
	}
	for _, a := range started {
		if code := a.end(); code != 0 || strings.Count(a.out.String(), "part ") != 1 {
			t.Errorf("an agent: exit code %d: %s; want one part", code, a.out.String())
		}
	}
}

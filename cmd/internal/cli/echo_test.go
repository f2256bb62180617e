//go:build unix

package cli

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/results"
)

// echoesOf returns the echoes that this process has started and that run.
func echoesOf(t *testing.T) (pids []int) {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Skip("NO /proc: children are not found")
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		line, _ := os.ReadFile("/proc/" + e.Name() + "/cmdline")
		stat, _ := os.ReadFile("/proc/" + e.Name() + "/stat")
		if fields := strings.Fields(string(stat)); strings.HasSuffix(string(line), "\x00echo-child\x00") && len(fields) > 3 && fields[3] == strconv.Itoa(os.Getpid()) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// Echoes are counted, so that these tests come one after the other.
func TestEchoes(t *testing.T) {
	t.Parallel()
	t.Run("sends back", anEchoSendsBack)
	t.Run("is lost", anEchoIsLost)
	t.Run("stands still", anEchoStandsStill)
}

func anEchoSendsBack(t *testing.T) {
	s := server(t)
	code, _, cells, stderr := validJSON(t, s.URL, "--echo", "process", "--rate", "200", "--connections", "2", "--duration", "2s", "--warmup", "500ms")
	wantCode(t, code, command.ExitGood, stderr)
	c := cells[0]
	if c.Ledger.Done != 400 || c.Echo == nil || c.Echo.Lost != "" || c.Echo.Received != 500 || c.Echo.Handling.Count != 500 || c.Echo.Hiccup == nil {
		t.Fatalf("ledger %+v, echo %+v", c.Ledger, c.Echo)
	}
	if c.Outward == nil || c.Outward.Count != 400 || c.Back.Count != 400 || c.Echo.Clock == nil || c.Echo.Clock.BoundNS != 0 {
		t.Fatalf("outward %+v, back %+v, clock %+v", c.Outward, c.Back, c.Echo.Clock)
	}
	// One clock: the halves are the whole, up to what comparing the clocks took.
	whole, halves := c.Response.MeanNS, c.Outward.MeanNS+c.Back.MeanNS
	if diff := time.Duration(whole - halves).Abs(); diff > 10*time.Microsecond && float64(diff) > 0.002*float64(whole) {
		t.Errorf("mean response %v, outward + back %v", time.Duration(whole), time.Duration(halves))
	}
	if c.Echo.Clock.Outward.LeastNS < -int64(time.Millisecond) || c.Strays != (results.Strays{}) {
		t.Errorf("below zero: %+v, strays %+v", c.Echo.Clock.Outward, c.Strays)
	}
	if left := echoesOf(t); left != nil {
		t.Errorf("echoes are left: %v", left)
	}
}

// signalEcho sends signals to the echo of the run whose results are below out, once there are
// replies, with pauses between them.
func signalEcho(t *testing.T, out string, pause time.Duration, signals ...syscall.Signal) {
	for until := time.Now().Add(time.Minute); time.Now().Before(until); time.Sleep(10 * time.Millisecond) {
		logs, _ := filepath.Glob(filepath.Join(out, "*", "cells", "*", results.IntervalsFile))
		if len(logs) == 0 {
			continue
		}
		text, _ := os.ReadFile(logs[0])
		if pids := echoesOf(t); len(pids) == 1 && strings.Contains(string(text), "Tag=response") {
			for _, s := range signals {
				_ = syscall.Kill(pids[0], s)
				time.Sleep(pause)
			}
			return
		}
	}
}

// An echo that is killed, or stands still until the end, is said, and is no result of the target's.
func anEchoIsLost(t *testing.T) {
	s := server(t)
	for name, tt := range map[string]struct {
		signal syscall.Signal
		says   string
	}{"killed": {syscall.SIGKILL, "signal: killed"}, "stopped": {syscall.SIGSTOP, "does not answer report within"}} {
		t.Run(name, func(t *testing.T) {
			out := t.TempDir()
			go signalEcho(t, out, 0, tt.signal)
			code, _, cells, stderr := runJSON(t, s.URL, "--echo", "process", "--rate", "200", "--duration", "5s", "--warmup", "100ms", "--timeout", "1s", "--out", out)
			wantCode(t, code, command.ExitInvalid, stderr)
			c := cells[0]
			p, _ := c.Problem(results.CodeEcho)
			if c.Verdict != results.Invalid || !strings.Contains(c.Echo.Lost, tt.says) || !strings.Contains(p.Text, "not the target's") || c.Problems[0].Code != results.CodeEcho {
				t.Errorf("%s: %+v, %+v", c.Verdict, c.Echo, c.Problems)
			}
			if left := echoesOf(t); left != nil {
				t.Errorf("echoes are left: %v", left)
			}
		})
	}
}

// A pause of the echo is no pause of the target.
func anEchoStandsStill(t *testing.T) {
	s := server(t)
	out := t.TempDir()
	go signalEcho(t, out, 1500*time.Millisecond, syscall.SIGSTOP, syscall.SIGCONT)
	code, _, cells, stderr := runJSON(t, s.URL, "--echo", "process", "--rate", "200", "--duration", "5s", "--warmup", "100ms", "--out", out)
	wantCode(t, code, command.ExitGood, stderr)
	c := cells[0]
	p, _ := c.Problem(results.CodeEcho)
	if !strings.Contains(p.Text, "the echo stood still") || c.Echo.Hiccup.MaxNS < int64(time.Second) || c.Ledger.Done != 1000 {
		t.Errorf("%+v, hiccup %v, ledger %+v", p, time.Duration(c.Echo.Hiccup.MaxNS), c.Ledger)
	}
	if row, _ := c.Response.At(99); row.Usable() {
		t.Error("p99 counts as the target's")
	}
}

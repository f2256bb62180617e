//go:build linux

package main

import (
	"context"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/cmd"
)

// program makes a process of this test brokerbench itself: the coordinator.
const program = "TEST_IS_THE_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(program) == "" {
		m.Run()
		return
	}
	os.Exit(cmd.Main(brokers.All())) //nolint:forbidigo // this process is the program
}

// A real coordinator takes what they say for a result, and is looked at meanwhile.
func TestAFewAgentsPretend(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes some seconds")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(program, "1")
	c, err := coordinate(t.Context(), self, 5, 2*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	// Five agents report twice a second, each beat more than half a kilobyte.
	if c.agents != 5 || c.duration < 2*time.Second || c.read < 5*4*500 || c.written < 5*4*50 || c.results < 5*1000 || c.resident < 10e6 || c.finish <= 0 || c.finishCPU <= 0 {
		t.Errorf("%+v", c)
	}
}

func TestACoordinatorThatDoesNotBegin(t *testing.T) {
	_, err := coordinate(t.Context(), "false", 2, time.Second)
	if err == nil || !strings.Contains(err.Error(), "before it wrote the join files") {
		t.Error(err)
	}
	if _, err := all(t.Context(), "false", "5,many", time.Second); err == nil {
		t.Error("numbers that are none are taken")
	}
}

func TestAResultThatIsNotWhole(t *testing.T) {
	for text, want := range map[string]string{
		"no JSON":       "printed no result",
		`{"cells": []}`: "printed no result",
		`{"cells": [{"ledger": {"due": 40, "done": 39}, "agents": [{}, {}]}]}`: "39 of 40",
		`{"cells": [{"ledger": {"due": 40, "done": 40}, "agents": [{}]}]}`:     "by 1 agents of 2",
		`{"cells": [{"ledger": {"due": 40, "done": 40}, "agents": [{}, {}]}]}`: "",
	} {
		err := whole([]byte(text), 2)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// What passes is counted in each direction, and nothing is left when the meter is closed.
func TestAMeterCounts(t *testing.T) {
	server, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	go func() {
		c, err := server.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		question := make([]byte, 3)
		_, _ = io.ReadFull(c, question)
		_, _ = c.Write([]byte("seven B"))
	}()
	m, err := newMeter(context.Background(), server.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	c, err := net.Dial("tcp", m.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_, _ = c.Write([]byte("abc"))
	if text, err := io.ReadAll(c); string(text) != "seven B" {
		t.Errorf("%q, %v", text, err)
	}
	m.close()
	if m.read.Load() != 3 || m.written.Load() != 7 {
		t.Errorf("%d and %d bytes, want 3 and 7", m.read.Load(), m.written.Load())
	}
}

func TestARowOfTheTable(t *testing.T) {
	row := costs{
		agents: 50, duration: 60 * time.Second, cpu: 3 * time.Second, read: 7_500_000, written: 1_500_000, results: 5_000_000,
		finish: 2500 * time.Millisecond, finishCPU: time.Second, resident: 58_000_000,
	}.row()
	const want = "50|0.050 cores|0.100 %|2.5 kB/s|0.5 kB/s|125.0 kB/s|58 MB|100 kB|2.5 s|1.0 s"
	if got := strings.Join(row, "|"); got != want || len(row) != len(head) {
		t.Errorf("got %s, want %s", got, want)
	}
}

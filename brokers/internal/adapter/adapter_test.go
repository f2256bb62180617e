package adapter

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/requester/requestertest"
)

func TestConformance(t *testing.T) {
	for _, how := range []string{"echo", "acknowledges"} {
		t.Run(how, func(t *testing.T) { requestertest.Run(t, behaving(t, how)) })
	}
}

func TestWords(t *testing.T) {
	for text, want := range map[string][]string{
		"./a --flag": {"./a", "--flag"}, " a\t b\n": {"a", "b"}, "": nil,
		`a 'b c' "d 'e'" f'g h'i ''`: {"a", "b c", "d 'e'", "fg hi", ""},
	} {
		if got, err := split(text); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %q, %v, want %q", text, got, err, want)
		}
	}
	if _, err := split("a 'b"); !errors.Is(err, errQuote) {
		t.Errorf("a quote that is not closed: %v", err)
	}
}

// What the adapter says of itself is in the description, without passwords, and its traits hold.
func TestDescription(t *testing.T) {
	f := behaving(t, "limits")
	d, err := f.Describe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if d.Product != "P" || d.Version != "nats://xxxxx@h" || d.Client != "amqp://u:xxxxx@h" || len(d.Settings) != 4 || d.Settings[0] != (requester.Setting{Name: "a", Value: "redis://:xxxxx@h"}) || d.Settings[1].Name != "adapter" || d.Settings[2].Value != "2" || d.Settings[3].Name != "echo" {
		t.Errorf("%+v", d)
	}
	if b := d.Durability; b == nil || b.Level != requester.Process || len(b.NotVerified) != 1 {
		t.Errorf("durability %+v", b)
	}
	c, err := f.New(0, requester.Sink{})
	if want := (requester.Traits{Acknowledges: true, InFlight: 5}); err != nil || c.Traits() != want {
		t.Errorf("traits %+v, want %+v; %v", c.Traits(), want, err)
	}
}

// The floor of an adapter is the same command if it can send messages back by itself, and then acknowledges and stores
// nothing; else it is this program.
func TestFloor(t *testing.T) {
	for how, same := range map[string]bool{"limits": true, "acknowledges": false, "version": false} {
		f := behaving(t, how)
		floor, err := Floor(t.Context(), f.target)
		if err != nil {
			t.Fatal(err)
		}
		echo := floor.(*Factory)
		if echo.echo != same || slices.Equal(echo.command, f.command) != same || !same && !slices.Equal(echo.command[1:], EchoArgs()) {
			t.Errorf("%s: %q, echo %t", how, echo.command, echo.echo)
		}
		if !same {
			continue
		}
		c, err := echo.New(0, requester.Sink{})
		if want := (requester.Traits{InFlight: 5}); err != nil || c.Traits() != want {
			t.Errorf("traits %+v, want %+v; %v", c.Traits(), want, err)
		}
		if err := echo.Audit(t.Context(), nil); !errors.Is(err, requester.ErrKeepsNothing) {
			t.Errorf("audit: %v", err)
		}
	}
	_, err := Floor(t.Context(), behaving(t, "no-echo").target)
	requestertest.WantError(t, err, "starting the adapter as an echo", "the adapter has ended")
}

// An adapter that cannot be used is refused in one line with the cause and the remedy.
func TestWhatCannotBeUsed(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for command, want := range map[string][]string{
		"":                                 {"a command is missing"},
		"./no-such-adapter --flag":         {"exec:./no-such-adapter", "no such file", "correct the path"},
		"no-such-adapter":                  {"executable file not found", "PATH"},
		write("plain", "#!/bin/sh", 0o600): {"permission denied", "chmod +x"},
		"'unclosed":                        {"a quote is not closed"},
	} {
		parsed := behaving(t, "echo").target
		parsed.Command = command
		_, err := New(parsed, "run")
		requestertest.WantError(t, err, want...)
	}
	for command, want := range map[string][]string{
		write("no-interpreter", "echo hello", 0o700):     {"exec format error", "#!"},
		write("dead", "#!/no/such/interpreter\n", 0o700): {"no such file", "interpreter of its first line"},
		"sh -c 'echo first >&2; echo last >&2; exit 7'":  {"the adapter has ended: exit status 7: last", "adapter test"},
	} {
		_, err := factory(t, command).Describe(t.Context())
		requestertest.WantError(t, err, want...)
	}
	for how, want := range map[string][]string{
		"version": {`another version of the protocol: "2"`, "speaks version 1"},
		"prints":  {`not a frame: "connecting to the broker`, "standard error"},
	} {
		_, err := behaving(t, how).Describe(t.Context())
		requestertest.WantError(t, err, want...)
	}
}

func TestAnAdapterThatNeverAnswers(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	_, err := behaving(t, "silent").Describe(ctx)
	requestertest.WantError(t, err, "starting the adapter", "does not answer", "adapter test")
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

func TestASetupThatIsRefused(t *testing.T) {
	l := requestertest.NewLink(t, behaving(t, "refuses"), 0)
	requestertest.WantError(t, l.Begin(), "setting up", "no such queue")
}

// After message 3 each connection knows why the adapter is gone, and requests fail for that reason.
func TestAnAdapterThatIsGivenUp(t *testing.T) {
	for how, want := range map[string]string{
		"dies": "the adapter has ended: exit status 3: no memory left", "garbage": `not a frame: "a message came in\n"`,
		"huge": "not a frame", "escapes": "the adapter has ended: exit status 3: no memory left", "stranger": "connection 77, which is not set up",
	} {
		t.Run(how, func(t *testing.T) {
			f := behaving(t, how)
			l, other := requestertest.Connect(t, f, 0), requestertest.Connect(t, f, 1)
			for seq := range uint64(3) {
				l.Send(t, requestertest.Payload(0, seq, 100))
			}
			l.WantEvents(t, want)
			other.WantEvents(t, want)
			err := other.Request(t.Context(), requestertest.Payload(1, 0, 100))
			requestertest.WantError(t, err, "sending", want)
			l.End(t)
			other.End(t)
		})
	}
}

// An event and a reason become one line of at most 1 KiB, whatever the size of messages.
func TestTextsThatAreLong(t *testing.T) {
	l := requestertest.Connect(t, behaving(t, "talks"), 0)
	for seq := range uint64(3) {
		l.Send(t, requestertest.Payload(0, seq, 200<<10))
	}
	want := "one two " + strings.Repeat("é", (lineSize-len("one two …"))/2) + "…"
	l.WantEvents(t, want)
	failure := l.WantFailure(t, want)
	if texts := l.Texts(); texts != want || strings.Contains(failure.Cause.Error(), want+"é") {
		t.Errorf("%d bytes: %q", len(texts), texts)
	}

	l = requestertest.Connect(t, behaving(t, "shouts"), 0)
	for seq := range uint64(3) {
		l.Send(t, requestertest.Payload(0, seq, 200<<10))
	}
	l.WantEvents(t, "not a frame")
	if texts := l.Texts(); len(texts) > lineSize {
		t.Errorf("%d bytes", len(texts))
	}
}

// One message of five gets no answer, two answers, or a failure: that is what is counted, and no more.
func TestLedgers(t *testing.T) {
	for how, want := range map[string]load.Ledger{
		"swallows": {Due: 5, Done: 4, Lost: 1}, "twice": {Due: 5, Done: 5}, "fails": {Due: 5, Done: 4, Failed: 1},
		"dies": {Due: 5, Done: 1, Lost: 1, Failed: 3}, // the engine's probe is message 1
	} {
		outcome := run(t, behaving(t, how), load.Config{Schedule: schedule.Spec{Rate: 5, Duration: time.Second}, Size: 100, Timeout: time.Second})
		if outcome.Window != want {
			t.Errorf("%s: %+v, want %+v; events %v", how, outcome.Window, want, outcome.Events)
		}
		if got := outcome.Strays.Duplicate; (got == 1) != (how == "twice") || got > 1 {
			t.Errorf("%s: %d duplicates", how, got)
		}
	}
}

// run runs the engine.
func run(t *testing.T, f requester.Factory, cfg load.Config) load.Outcome {
	t.Helper()
	outcome, err := load.Run(t.Context(), f, cfg, ignore{}, load.Hooks{})
	if err != nil {
		t.Fatal(err)
	}
	return outcome
}

type ignore struct{}

func (ignore) Record(load.Op) {}

// An adapter that reads and writes in one goroutine, and replies that nobody takes: more messages than fit into both
// pipes are accepted, and all come back in their order.
func TestPipesThatAreFull(t *testing.T) {
	l := requestertest.NewLink(t, behaving(t, "acknowledges"), 0)
	sent, replies := make(chan struct{}), make(chan uint64, 100)
	l.Reply = func(p []byte) {
		<-sent
		stamp, _ := requester.ReadStamp(p)
		replies <- stamp.Seq
	}
	if err := l.Begin(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(sent)
		for seq := range uint64(100) {
			if err := l.Request(t.Context(), requestertest.Payload(0, seq, 16<<10)); err != nil {
				t.Error(err)
			}
		}
	}()
	for want := range uint64(100) {
		select {
		case got := <-replies:
			if got != want {
				t.Fatalf("message %d, want %d", got, want)
			}
		case <-time.After(20 * time.Second):
			t.Fatalf("no reply %d: Request blocks", want)
		}
	}
}

// Whatever an adapter writes, memory stays bounded.
func TestAFlood(t *testing.T) {
	f := behaving(t, "floods")
	l := requestertest.NewLink(t, f, 0)
	var replies atomic.Int64
	l.Reply = func([]byte) { replies.Add(1) }
	if err := l.Begin(); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for seq := range uint64(3) {
		l.Send(t, requestertest.Payload(0, seq, 1000))
	}
	requestertest.Until(t, "100,000 replies", func() bool { return replies.Load() > 100_000 })
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 10<<20 {
		t.Errorf("%d bytes allocated for 300 MB of output", used)
	}
}

// An adapter that hangs, or goes on after its input has ended, is killed with what it started.
func TestAnAdapterThatDoesNotEnd(t *testing.T) {
	l := requestertest.Connect(t, behaving(t, "hangs"), 0)
	for seq := range uint64(3) {
		l.Send(t, requestertest.Payload(0, seq, 100))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	requestertest.WantError(t, l.Teardown(ctx), "tearing down", "does not answer")

	file := filepath.Join(t.TempDir(), "pids")
	requestertest.Connect(t, behaving(t, "stubborn "+file), 0).End(t)
	wantEnded(t, file, 0, 1)
	requestertest.Connect(t, behaving(t, "leaves "+file), 0).End(t)
	wantEnded(t, file, 1)
}

// kill -9 of brokerbench ends an adapter that does not look at its input.
func TestNoAdapterOutlivesBrokerbench(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux ends a process with its parent")
	}
	file := filepath.Join(t.TempDir(), "pids")
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	parent := exec.Command(program, be, "parent", file)
	out, err := parent.StdoutPipe()
	if err == nil {
		err = parent.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	_ = parent.Process.Kill()
	_ = parent.Wait()
	if line != "set up\n" {
		t.Fatalf("%q, %v", line, err)
	}
	wantEnded(t, file, 0)
	text, _ := os.ReadFile(file)
	_ = exec.Command("kill", strings.Fields(string(text))[1]).Run() // the sleep that it started
}

// A connection that is set up takes no memory for a message.
func TestNothingIsAllocated(t *testing.T) {
	l := requestertest.NewLink(t, behaving(t, "echo"), 0)
	back := make(chan struct{}, 1)
	l.Reply = func([]byte) { back <- struct{}{} }
	if err := l.Begin(); err != nil {
		t.Fatal(err)
	}
	payload, ctx := requestertest.Payload(0, 1, 1024), t.Context()
	if got := testing.AllocsPerRun(1000, func() {
		if err := l.Request(ctx, payload); err != nil {
			t.Error(err)
		}
		<-back
	}); got != 0 {
		t.Errorf("%v allocations a round trip", got)
	}
}

func BenchmarkRoundTrip(b *testing.B) {
	for _, size := range []int{16, 1 << 10, 64 << 10, 1 << 20} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			l := requestertest.NewLink(b, behaving(b, "echo"), 0)
			back := make(chan struct{}, 1)
			l.Reply = func([]byte) { back <- struct{}{} }
			if err := l.Begin(); err != nil {
				b.Fatal(err)
			}
			payload := requestertest.Payload(0, 1, size)
			b.ReportAllocs()
			for b.Loop() {
				if err := l.Request(b.Context(), payload); err != nil {
					b.Fatal(err)
				}
				<-back
			}
		})
	}
}

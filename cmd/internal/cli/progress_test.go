package cli

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/internal/live"
)

// runLossy runs a lossy loopback for two seconds.
func runLossy(t *testing.T, s command.Streams, args ...string) {
	t.Helper()
	args = append([]string{
		"run", "loopback:?drop=0.1", "--rate", "100", "--duration", "2s", "--warmup", "0s", "--timeout", "200ms",
		"--floor", "off", "--format", "csv", "--out", t.TempDir(),
	}, args...)
	s.Out, s.Brokers = io.Discard, brokers.All()
	if code := Main(args, s); code != command.ExitInvalid {
		t.Errorf("%v: exit code %d, want %d", args, code, command.ExitInvalid)
	}
}

func TestProgressAsJSON(t *testing.T) {
	var shown strings.Builder
	runLossy(t, command.Streams{Err: &shown}, "--progress=json", "--timeout", "2s")
	objects, notices := said(t, shown.String())
	if len(objects) < 2 || len(objects) > 6 {
		t.Fatalf("%d objects in 4 s", len(objects))
	}
	last := objects[len(objects)-1]
	if last.Cell != "loopback-100-1024B-c1-fopen-r1" || last.Due != 200 || last.Done != 180 || last.Outstanding != 20 || last.P50NS == nil {
		t.Errorf("the last is %+v", last)
	}
	if n := notices[0]; n.Kind != live.Invalid || n.Cell != last.Cell || n.Code == "" || !strings.HasPrefix(n.Text, "invalid: 20 of 200 messages are missing") {
		t.Errorf("the first notice is %+v, want the reason of the verdict", n)
	}
}

// said reads what was said with --progress=json: nothing but objects, a line each.
func said(t *testing.T, text string) (objects []live.Object, notices []live.Notice) {
	t.Helper()
	for line := range strings.Lines(text) {
		var o live.Object
		if err := json.Unmarshal([]byte(line), &o); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if o.Schema == live.Schema {
			objects = append(objects, o)
			continue
		}
		n := decode[live.Notice](t, line)
		if n.Schema != live.NoticeSchema || n.Kind == "" || n.Text == "" {
			t.Errorf("neither progress nor a notice: %s", line)
		}
		notices = append(notices, n)
	}
	return objects, notices
}

// Whatever is said is an object: mistakes, errors, what a search and ab say.
func TestOnlyJSONIsSaid(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]live.Notice{
		"run loopback: --progress=json --rtae 5":                     {Kind: live.Failed, Exit: command.ExitUsage, Text: "unknown flag: --rtae"},
		"run loopback: --progress json --size 12B":                   {Kind: live.Failed, Exit: command.ExitUsage, Text: "16 B"},
		"run -f /none --progress=auto --progress=json":               {Kind: live.Failed, Exit: command.ExitUsage, Text: "/none"},
		"run nats://127.0.0.1:1 --progress=json --floor off --out O": {Kind: live.Failed, Exit: command.ExitError, Text: "nothing listens there"},
		"search loopback: --slo p99.9<5ms --duration 1s --confirm 1s --warmup 100ms --timeout 100ms --from 2k --progress=json --at-most 6s --floor off --out O": {Kind: live.Note, Text: "which is more than --at-most"},
		"ab --side loopback: --side loopback: --pairs 2 --duration 1s --warmup 0s --progress=json --out O":                                                      {Kind: live.Note, Text: "[pair 2]"},
	} {
		t.Run(args, func(t *testing.T) {
			t.Parallel()
			list := strings.Fields(args)
			if last := len(list) - 1; list[last] == "O" {
				list[last] = t.TempDir()
			}
			_, _, stderr := invoke(list...)
			_, notices := said(t, stderr)
			if !slices.ContainsFunc(notices, func(n live.Notice) bool {
				return n.Kind == want.Kind && n.Exit == want.Exit && strings.Contains(n.Text, want.Text)
			}) {
				t.Errorf("no %+v in %s", want, stderr)
			}
		})
	}
}

func TestAsksForJSON(t *testing.T) {
	for args, want := range map[string]bool{
		"run --progress=json": true, "run --progress json": true, "run --progress=json --progress=off": false,
		"run -- --progress=json": false, "run --progress": false, "run json": false,
	} {
		if got := asksForJSON(strings.Fields(args)); got != want {
			t.Errorf("%s: %v", args, got)
		}
	}
}

// Why a cell is not valid is said once: by the result, if that is for people.
func TestReasonsAreSaidOnce(t *testing.T) {
	t.Parallel()
	const reason = "of 200 messages are missing"
	for _, quiet := range []bool{false, true} {
		var out, shown strings.Builder
		args := []string{
			"run", "loopback:?drop=0.1", "--rate", "100", "--duration", "2s", "--warmup", "0s", "--timeout", "200ms", "--floor", "off", "--out", t.TempDir(),
		}
		if quiet {
			args = append(args, "--quiet")
		}
		if code := Main(args, command.Streams{Out: &out, Err: &shown, Brokers: brokers.All()}); code != command.ExitInvalid {
			t.Errorf("exit code %d", code)
		}
		if n := strings.Count(out.String(), reason); n != 1 || strings.Contains(shown.String(), reason) {
			t.Errorf("said %d times in the result, and beside it stands %q", n, shown.String())
		}
		if brief := strings.Contains(shown.String(), "loopback, 1 KiB at 100/s: invalid (missing"); brief == quiet {
			t.Errorf("quiet %v: beside it stands %q", quiet, shown.String())
		}
	}
}

func TestProgressOff(t *testing.T) {
	t.Parallel()
	for _, flag := range []string{"--progress=off", "-q"} {
		var shown strings.Builder
		runLossy(t, command.Streams{Err: &shown}, flag)
		if lines := strings.Split(shown.String(), "\n"); !strings.Contains(lines[0], ": invalid: ") {
			t.Errorf("%s: %q, want the reasons of the verdict and nothing else", flag, shown.String())
		}
	}
}

// On a terminal a block is drawn, about four times a second, and taken away.
func TestProgressOnATerminal(t *testing.T) {
	var shown strings.Builder
	screen := live.NewScreen(&shown, func() (int, int) { return 100, 30 })
	runLossy(t, command.Streams{Err: screen, Screen: screen})
	drawn, kept, found := strings.Cut(shown.String(), "\x1b[J[1/1] ")
	if n := strings.Count(drawn, "  verdict so far: "); n < 2 || n > 12 {
		t.Errorf("drawn %d times in 2 s: %q", n, shown.String())
	}
	if !found || !strings.HasPrefix(kept, "loopback, 1 KiB at 100/s: invalid: ") || strings.Contains(kept, "\x1b") {
		t.Errorf("after the block stands %q", kept)
	}
}

// The metrics are served from before the first cell until after the last, and the
// address is free then. A second run is refused before it measures anything.
func TestPrometheus(t *testing.T) {
	read, write := io.Pipe()
	first, code := t.TempDir(), make(chan int, 1)
	go func() { // it goes on until it is interrupted, however long the rest takes
		code <- Main([]string{
			"run", "loopback:", "--rate", "100", "--duration", "1m", "--warmup", "0s", "--floor", "off", "--format", "csv",
			"--out", first, "--progress=json", "--prometheus", "127.0.0.1:0",
		}, command.Streams{In: strings.NewReader(""), Out: io.Discard, Err: write, Brokers: brokers.All()})
		_ = write.Close()
	}()
	lines := bufio.NewScanner(read)
	if !lines.Scan() {
		t.Fatal("nothing is said")
	}
	_, url, _ := strings.Cut(decode[live.Notice](t, lines.Text()).Text, "for watching, not for the record: ")
	address := strings.TrimSuffix(strings.TrimPrefix(url, "http://"), "/metrics")
	lines.Scan() // the first second is over
	if text := fetch(t, url); !strings.Contains(text, `brokerbench_outstanding_ops{arrivals="constant",connections="1",in_flight="open",rate="100",repeat="1",size="1024",target="loopback"}`) {
		t.Errorf("%s after %q: %s", url, lines.Text(), text)
	}

	out := t.TempDir()
	second, _, stderr := invoke("run", "loopback:", "--duration", "1s", "--out", out, "--prometheus", address)
	wantCode(t, second, command.ExitError, stderr, "brokerbench: --prometheus: "+address+" is in use")
	if made, err := os.ReadDir(out); err != nil || len(made) != 0 || strings.Count(stderr, "\n") != 1 {
		t.Errorf("made %v, %v; said %q, want one line", made, err, stderr)
	}
	sendSelf(t, syscall.SIGINT)
	for lines.Scan() { // to the end
	}
	if got := <-code; got != command.ExitInterrupted {
		t.Errorf("exit code %d, want %d", got, command.ExitInterrupted)
	}
	free, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatalf("the address is not free: %v", err)
	}
	_ = free.Close()
}

func fetch(t *testing.T, url string) string {
	t.Helper()
	response, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

package cli

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/cmd/internal/live"
)

// runLossy runs a lossy loopback for two seconds.
func runLossy(t *testing.T, s Streams, args ...string) {
	t.Helper()
	args = append([]string{
		"run", "loopback:?drop=0.1", "--rate", "100", "--duration", "2s", "--warmup", "0s", "--timeout", "200ms",
		"--floor", "off", "--format", "csv", "--out", t.TempDir(),
	}, args...)
	s.Out, s.Brokers = io.Discard, brokers.All()
	if code := Main(args, s); code != exitInvalid {
		t.Errorf("%v: exit code %d, want %d", args, code, exitInvalid)
	}
}

func TestProgressAsJSON(t *testing.T) {
	var shown strings.Builder
	runLossy(t, Streams{Err: &shown}, "--progress=json")
	var objects []live.Object
	var text string
	for line := range strings.Lines(shown.String()) {
		if !strings.HasPrefix(line, "{") {
			text += line
			continue
		}
		var o live.Object
		if err := json.Unmarshal([]byte(line), &o); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		objects = append(objects, o)
	}
	if len(objects) < 2 || len(objects) > 4 {
		t.Fatalf("%d objects in 2 s", len(objects))
	}
	last := objects[len(objects)-1]
	if last.Cell != "loopback-100-1024B-c1-fopen-r1" || last.Due != 200 || last.Done != 180 || last.Outstanding != 20 || last.P50NS == nil {
		t.Errorf("the last is %+v", last)
	}
	if !strings.HasPrefix(text, "[1/1] loopback-100-1024B-c1-fopen-r1: invalid: 20 of 200 messages are missing") {
		t.Errorf("beside JSON stands %q, want the reason of the verdict", text)
	}
}

// Why a cell is not valid is said once: by the result, if that is for people.
func TestReasonsAreSaidOnce(t *testing.T) {
	const reason = "of 200 messages are missing"
	for _, quiet := range []bool{false, true} {
		var out, shown strings.Builder
		args := []string{
			"run", "loopback:?drop=0.1", "--rate", "100", "--duration", "2s", "--warmup", "0s", "--timeout", "200ms", "--floor", "off", "--out", t.TempDir(),
		}
		if quiet {
			args = append(args, "--quiet")
		}
		if code := Main(args, Streams{Out: &out, Err: &shown, Brokers: brokers.All()}); code != exitInvalid {
			t.Errorf("exit code %d", code)
		}
		if n := strings.Count(out.String(), reason); n != 1 || strings.Contains(shown.String(), reason) {
			t.Errorf("said %d times in the result, and beside it stands %q", n, shown.String())
		}
		if brief := strings.Contains(shown.String(), "loopback-100-1024B-c1-fopen-r1: invalid (missing"); brief == quiet {
			t.Errorf("quiet %v: beside it stands %q", quiet, shown.String())
		}
	}
}

func TestProgressOff(t *testing.T) {
	for _, flag := range []string{"--progress=off", "-q"} {
		var shown strings.Builder
		runLossy(t, Streams{Err: &shown}, flag)
		if lines := strings.Split(shown.String(), "\n"); !strings.Contains(lines[0], "r1: invalid: ") {
			t.Errorf("%s: %q, want the reasons of the verdict and nothing else", flag, shown.String())
		}
	}
}

// On a terminal a block is drawn, about four times a second, and taken away.
func TestProgressOnATerminal(t *testing.T) {
	var shown strings.Builder
	screen := live.NewScreen(&shown, func() (int, int) { return 100, 30 })
	runLossy(t, Streams{Err: screen, Screen: screen})
	drawn, kept, found := strings.Cut(shown.String(), "\x1b[J[1/1] ")
	if n := strings.Count(drawn, "  verdict so far: "); n < 4 || n > 12 {
		t.Errorf("drawn %d times in 2 s: %q", n, shown.String())
	}
	if !found || !strings.HasPrefix(kept, "loopback-100-1024B-c1-fopen-r1: invalid: ") || strings.Contains(kept, "\x1b") {
		t.Errorf("after the block stands %q", kept)
	}
}

// The metrics are served from before the first cell until after the last, and the
// address is free then. A second run is refused before it measures anything.
func TestPrometheus(t *testing.T) {
	read, write := io.Pipe()
	go func() {
		runLossy(t, Streams{Err: write}, "--progress=json", "--prometheus", "127.0.0.1:0")
		_ = write.Close()
	}()
	lines := bufio.NewScanner(read)
	if !lines.Scan() {
		t.Fatal("nothing is said")
	}
	_, url, _ := strings.Cut(lines.Text(), "for watching, not for the record: ")
	address := strings.TrimSuffix(strings.TrimPrefix(url, "http://"), "/metrics")
	lines.Scan() // the first second is over
	if text := fetch(t, url); !strings.Contains(text, `brokerbench_outstanding_ops{arrivals="constant",connections="1",in_flight="open",rate="100",repeat="1",size="1024",target="loopback"}`) {
		t.Errorf("%s after %q: %s", url, lines.Text(), text)
	}

	out := t.TempDir()
	code, _, stderr := command("run", "loopback:", "--out", out, "--prometheus", address)
	wantCode(t, code, exitError, stderr, "brokerbench: --prometheus: "+address+" is in use")
	if made, err := os.ReadDir(out); err != nil || len(made) != 0 || strings.Count(stderr, "\n") != 1 {
		t.Errorf("made %v, %v; said %q, want one line", made, err, stderr)
	}
	for lines.Scan() { // to the end
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

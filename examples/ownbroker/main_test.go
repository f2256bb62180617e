package main

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester/requestertest"
	"github.com/brokerbench/brokerbench/results"
)

// built builds a program of this folder and returns its path.
func built(t *testing.T, folder string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	if out, err := exec.Command("go", "build", "-o", path, folder).CombinedOutput(); err != nil {
		t.Fatalf("building %s: %v\n%s", folder, err, out)
	}
	return path
}

// serving starts the service, and returns its URL.
func serving(t *testing.T) string {
	t.Helper()
	server := exec.Command(built(t, "./service"), "127.0.0.1:0")
	out, err := server.StdoutPipe()
	if err == nil {
		err = server.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Kill()
		_ = server.Wait()
	})
	url, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.Replace(strings.TrimSpace(url), "http:", "rest:", 1)
}

// A program wants an exit code of itself, and texts in what it prints.
type program struct {
	path string
	t    *testing.T
}

func (p program) wants(code int, commandLine string, texts ...string) {
	p.t.Helper()
	got, printed := p.runs(commandLine)
	p.judges(got, code, commandLine, printed, texts...)
}

// measures wants what measures to end well, and returns the folder of its results. A
// machine that stands still for a second may break the SLO, 3, or the cell, 4: then it
// is measured again, five times at most.
func (p program) measures(commandLine string, texts ...string) (out string) {
	p.t.Helper()
	var got int
	var printed string
	for range 5 {
		out = p.t.TempDir()
		if got, printed = p.runs(commandLine + " --out " + out); got != 3 && got != 4 {
			break
		}
	}
	p.judges(got, 0, commandLine, printed, texts...)
	return out
}

// runs returns the exit code of a command line, and what it prints.
func (p program) runs(commandLine string) (code int, printed string) {
	p.t.Helper()
	text, err := exec.Command(p.path, strings.Fields(commandLine)...).CombinedOutput()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return exit.ExitCode(), string(text)
	}
	if err != nil {
		p.t.Fatalf("%s: %v\n%s", commandLine, err, text)
	}
	return 0, string(text)
}

func (p program) judges(got, want int, commandLine, printed string, texts ...string) {
	p.t.Helper()
	if got != want {
		p.t.Fatalf("%s: exit code %d, want %d\n%s", commandLine, got, want, printed)
	}
	for _, text := range texts {
		if !strings.Contains(printed, text) {
			p.t.Errorf("%s: no %q in:\n%s", commandLine, text, printed)
		}
	}
}

// A program with a broker of its own has every command.
func TestOwnBroker(t *testing.T) {
	url, own := serving(t), program{built(t, "."), t}
	own.wants(0, "brokers", "rest", "nats, tls")
	own.wants(0, "brokers rest", "keep-alive", "true")
	own.wants(2, "run "+url+"?kepe-alive=false", `did you mean "keep-alive"?`)
	own.wants(2, "run rets://h", `did you mean "rest"?`)
	own.wants(1, "run rest://127.0.0.1:1 --quiet --floor off --out "+t.TempDir(), "nothing listens there")
	out := own.measures("run "+url+" --rate 200 --connections 2 --duration 1s --warmup 200ms", "floor of ", "rest")

	dirs, err := filepath.Glob(filepath.Join(out, "*"))
	if dirs = results.WithoutLatest(dirs); err != nil || len(dirs) != 1 {
		t.Fatal(dirs, err)
	}
	wantMeasured(t, dirs[0])
	page := filepath.Join(t.TempDir(), "page.html")
	own.wants(0, "report "+dirs[0]+" -o "+page)
	if text, err := os.ReadFile(page); err != nil || !strings.Contains(string(text), "rest-200-1024B-c2-fopen") {
		t.Errorf("the page: %d B, %v", len(text), err)
	}
	own.measures("search "+url+" --slo p50<1s --from 50 --max 100 --duration 500ms --confirm 500ms --unseen-pause 0 --floor off", "p50<1s")
}

// wantMeasured wants the cell of a run to be complete, and to say what was measured.
func wantMeasured(t *testing.T, dir string) {
	t.Helper()
	store, err := results.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	run, err := store.Run()
	if err != nil || len(run.Cells) != 1 {
		t.Fatal(run, err)
	}
	c, err := store.Cell(run.Cells[0].ID).Read()
	if err != nil {
		t.Fatal(err)
	}
	if c.Ledger.Done != 200 || c.Broker.Version != "echo/1" || c.Floor == nil {
		t.Errorf("ledger %+v, broker %+v, floor %v", c.Ledger, c.Broker, c.Floor)
	}
}

// What a requester must keep to is tested as for brokerbench's own.
func TestConformance(t *testing.T) {
	url := serving(t)
	for _, options := range []string{"", "?keep-alive=false"} {
		parsed, err := target.Parse(url + options)
		if err != nil {
			t.Fatal(err)
		}
		f, err := open(parsed, "conformance")
		if err != nil {
			t.Fatal(err)
		}
		t.Run(options, func(t *testing.T) { requestertest.Run(t, f) })
	}
}

package cli

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/internal/leaf/golden"
	"github.com/brokerbench/brokerbench/internal/resultstest"
)

// twoTargets writes a run of six repeats, in which slow takes some times as long as fast.
func twoTargets(t *testing.T, times float64, seed uint64) string {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 1))
	var cells []resultstest.Cell
	for repeat := range 6 {
		for i, scale := range []float64{1, times} {
			scale *= 1 + 0.01*rng.Float64()
			var second []time.Duration
			for k := range 2000 {
				second = append(second, time.Duration(scale*float64(1_000_000+1000*k)))
			}
			cells = append(cells, resultstest.Cell{Target: []string{"fast", "slow"}[i], Rate: 100, Repeat: repeat + 1, Seconds: [][]time.Duration{second}})
		}
	}
	return resultstest.Write(t, "x", cells...)
}

// bundle returns a folder with a published run and claims about it: one, two, three.
func bundle(t *testing.T, claims ...string) string {
	t.Helper()
	return bundleOf(t, twoTargets(t, 2, 1), claims...)
}

// bundleOf is bundle for a run.
func bundleOf(t *testing.T, run string, claims ...string) string {
	t.Helper()
	dir, text := t.TempDir(), "claims:\n"
	if err := os.CopyFS(filepath.Join(dir, "run"), os.DirFS(run)); err != nil {
		t.Fatal(err)
	}
	for i, claim := range claims {
		text += "  - id: " + []string{"one", "two", "three"}[i] + "\n    sentence: Fast is faster.\n    plan: plan.yaml\n    evidence: [run]\n    " + claim + "\n"
	}
	put(t, filepath.Join(dir, "claims.yaml"), text)
	return dir
}

func put(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

const faster, slower = "rank: {percentile: 50, order: [fast, slow]}", "rank: {percentile: 50, order: [slow, fast]}"

func TestReproduceWith(t *testing.T) {
	same, swapped := twoTargets(t, 2, 2), twoTargets(t, 0.5, 3)
	for _, c := range []struct {
		name string
		dir  string
		args []string
		code int
		want string
	}{
		{"again", bundle(t, faster), []string{"--with", same}, command.ExitGood, "reproduced: claim one"},
		{"a ratio", bundle(t, "ratio: {percentile: 99, of: slow, to: fast, low: 1.8, high: 2.2}"), []string{"--with", same}, command.ExitGood, "reproduced: claim one"},
		{"the other way round", bundle(t, faster), []string{"--with", swapped}, command.ExitRegression, "contradicted: claim one"},
		{"another target", bundle(t, faster), []string{"--with", written(t, 1, "1", "nats")}, command.ExitInvalid, "not decided: claim one"},
		{"unsupported", bundle(t, slower), []string{"--with", same}, command.ExitUsage, "claim one is not supported by its own data"},
		{"unknown claim", bundle(t, faster), []string{"--with", same, "--claims", "two"}, command.ExitUsage, `no claim "two"`},
		{"no plan", bundle(t, faster), nil, command.ExitUsage, "its plan is missing"},
		{"no claims", t.TempDir(), nil, command.ExitUsage, "is no bundle with claims"},
	} {
		code, stdout, stderr := invoke(append([]string{"reproduce", c.dir}, c.args...)...)
		if code != c.code || !strings.Contains(stdout+stderr, c.want) {
			t.Errorf("%s: exit code %d, want %d with %q\n%s%s", c.name, code, c.code, c.want, stdout, stderr)
		}
	}
}

func TestReproduceText(t *testing.T) {
	dir := bundle(t, faster, "ratio: {percentile: 99, of: slow, to: fast, low: 1.8, high: 2.2}", "ratio: {percentile: 99, of: slow, to: fast, low: 1.5}")
	code, stdout, stderr := invoke("reproduce", dir, "--with", twoTargets(t, 1.5, 4))
	wantCode(t, code, command.ExitRegression, stderr)
	golden.Check(t, "reproduce.txt", strings.ReplaceAll(stdout, dir, "BUNDLE"))
}

// TestReproduceTwice names a run and its copy, first as results and then as evidence.
func TestReproduceTwice(t *testing.T) {
	run := twoTargets(t, 2, 1)
	change(t, filepath.Join(run, "run.json"), `"id": ""`, `"id": "r1"`)
	dir := bundleOf(t, run, faster)
	code, stdout, stderr := invoke("reproduce", dir, "--with", run+","+filepath.Join(dir, "run"), "--format", "json")
	if wantCode(t, code, command.ExitGood, stderr); !strings.Contains(stdout, `"repeats": 6,`) {
		t.Error(stdout)
	}
	if err := os.CopyFS(filepath.Join(dir, "copy"), os.DirFS(run)); err != nil {
		t.Fatal(err)
	}
	for _, evidence := range []string{"[run, copy]", "[run, ./run]"} {
		if evidence == "[run, ./run]" {
			change(t, filepath.Join(dir, "run", "run.json"), `"id": "r1"`, `"id": ""`) // as an old run
		}
		change(t, filepath.Join(dir, "claims.yaml"), "[run]", evidence)
		code, _, stderr = invoke("reproduce", dir, "--with", run)
		if wantCode(t, code, command.ExitUsage, stderr); !strings.Contains(stderr, "is named twice") {
			t.Error(stderr)
		}
		change(t, filepath.Join(dir, "claims.yaml"), evidence, "[run]")
	}
}

// change replaces a text that a file contains.
func change(t *testing.T, file, old, next string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(data), old) {
		t.Fatalf("%s has no %q: %v", file, old, err)
	}
	put(t, file, strings.ReplaceAll(string(data), old, next))
}

// TestReproduce publishes a run that was really measured, and measures its plan again.
func TestReproduce(t *testing.T) {
	const text = "targets:\n  - {name: fast, url: 'loopback:?delay=1ms'}\n  - {name: slow, url: 'loopback:?delay=8ms'}\n" +
		"cells: [{rate: 200, size: 64B}]\nduration: 1s\nwarmup: 100ms\nrepeat: 3\nfloor: off\n"
	file := filepath.Join(t.TempDir(), "plan.yaml")
	put(t, file, text)
	code, _, stderr, out := valid(t, "run", file, "--quiet", "--report", "off")
	wantCode(t, code, command.ExitGood, stderr)
	run := onlyFolder(t, out)
	dir := bundleOf(t, run, faster)
	put(t, filepath.Join(dir, "plan.yaml"), text)
	code, stdout, stderr, out := valid(t, "reproduce", dir)
	if wantCode(t, code, command.ExitGood, stdout+stderr); !strings.Contains(stdout, "reproduced: claim one") {
		t.Error(stdout)
	}
	onlyFolder(t, out)

	tampered := bundleOf(t, run, slower)
	put(t, filepath.Join(tampered, "plan.yaml"), text)
	code, _, stderr = invoke("reproduce", tampered, "--out", t.TempDir())
	wantCode(t, code, command.ExitUsage, stderr)

	put(t, filepath.Join(dir, "plan.yaml"), strings.Replace(text, "'loopback:?delay=8ms'", "'nats://127.0.0.1:1'", 1))
	code, stdout, stderr = invoke("reproduce", dir, "--repeat", "1", "--out", t.TempDir())
	wantCode(t, code, command.ExitInvalid, stderr)
	if !strings.Contains(stdout, "not decided: claim one") || !strings.Contains(stderr, "127.0.0.1:1") {
		t.Errorf("a broker that is not there: %s%s", stdout, stderr)
	}
}

func TestReproduceInterrupted(t *testing.T) {
	dir, out := bundle(t, faster), t.TempDir()
	put(t, filepath.Join(dir, "plan.yaml"), "targets:\n  - {name: fast, url: 'loopback:?delay=1ms'}\n  - {name: slow, url: 'loopback:?delay=8ms'}\n"+
		"cells: [{rate: 200, size: 64B}]\nduration: 3s\nwarmup: 0s\nrepeat: 3\nfloor: off\n")
	end := signalASecondLater(t, out, syscall.SIGINT)
	code, stdout, stderr := invoke("reproduce", dir, "--out", out)
	end()
	wantCode(t, code, command.ExitInterrupted, stderr)
	if onlyFolder(t, out); !strings.Contains(stdout, "not decided: claim one") {
		t.Error(stdout)
	}
}

package cli

import (
	"context"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/cmd/internal/analysis"
	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/internal/leaf/golden"
	"github.com/brokerbench/brokerbench/internal/resultstest"
	"github.com/brokerbench/brokerbench/internal/search"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
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
	dir := resultstest.Write(t, "x", cells...)
	change(t, filepath.Join(dir, results.RunFile), "\"plan\": {\n    \"name\": \"\"", "\"plan\": {\n    \"name\": \"x\"")
	return dir
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
		{"another plan", bundle(t, faster), []string{"--with", written(t, 1, "1", "nats")}, command.ExitUsage, " measured no plan of the claims: want a run of plan.yaml"},
		{"another plan beside", bundle(t, faster), []string{"--with", same + "," + written(t, 1, "1", "nats")}, command.ExitUsage, " measured no plan of the claims: "},
		{"a series", bundle(t, "ratio: {percentile: 99, of: {target: slow, series: response}, to: {target: slow, series: service}, low: 1.9, high: 2.1}"), []string{"--with", same}, command.ExitGood, "p99 of slow (response) / slow (service) is 2"},
		{"unsupported", bundle(t, slower), []string{"--with", same}, command.ExitUsage, "claim one is not supported by its own data"},
		{"unknown claim", bundle(t, faster), []string{"--with", same, "--claims", "two"}, command.ExitUsage, `no claim "two"`},
		{"no plan", bundle(t, faster), nil, command.ExitUsage, "a plan of the claims is missing"},
		{"no claims", t.TempDir(), nil, command.ExitUsage, "is no bundle with claims"},
	} {
		code, stdout, stderr := invoke(append([]string{"reproduce", c.dir}, c.args...)...)
		if code != c.code || !strings.Contains(stdout+stderr, c.want) {
			t.Errorf("%s: exit code %d, want %d with %q\n%s%s", c.name, code, c.code, c.want, stdout, stderr)
		}
	}
}

// TestReproduceQuick has plans with a long and a short window, which is not made longer.
func TestReproduceQuick(t *testing.T) {
	for window, want := range map[string]time.Duration{"1m": 5 * time.Second, "3s": 3 * time.Second} {
		dir := bundle(t, faster)
		put(t, filepath.Join(dir, "plan.yaml"), "name: x\ntargets: [{name: fast, url: 'loopback:'}, {name: slow, url: 'loopback:'}]\ncells: [{rate: 100}]\nduration: "+window+"\n")
		var measured plan.Plan
		c := analysis.NewReproduce(command.Streams{Out: io.Discard, Err: io.Discard}, func(_ context.Context, s command.Streams, name string, args []string) error {
			if !slices.Contains(args, "--dry-run") {
				args = append(args, "--dry-run", "--format", "json")
			}
			_, stdout, stderr := invoke(append([]string{name}, args...)...)
			measured = decode[struct{ Plan plan.Plan }](t, stdout).Plan
			_, err := io.WriteString(s.Out, stdout+stderr)
			return err
		})
		c.SilenceErrors, c.SilenceUsage = true, true
		c.SetArgs([]string{dir, "--quick", "--out", t.TempDir()})
		if err := c.Execute(); command.ExitCode(err) != command.ExitInvalid {
			t.Error(err)
		}
		if measured.Settings.Duration != want || measured.Repeat != 3 {
			t.Errorf("%s: a window of %v, %d repeats", window, measured.Settings.Duration, measured.Repeat)
		}
	}
}

func TestReproduceText(t *testing.T) {
	published, here := twoTargets(t, 2, 1), twoTargets(t, 1.5, 4)
	versioned(t, published, "7.2.0")
	versioned(t, here, "8.0.1")
	dir := bundleOf(t, published, faster, "ratio: {percentile: 99, of: slow, to: fast, low: 1.8, high: 2.2}", "ratio: {percentile: 99, of: slow, to: fast, low: 1.5}")
	code, stdout, stderr := invoke("reproduce", dir, "--with", here)
	wantCode(t, code, command.ExitRegression, stderr)
	golden.Check(t, "reproduce.txt", strings.ReplaceAll(stdout, dir, "BUNDLE"))
}

// versioned gives the broker of the target fast a version.
func versioned(t *testing.T, run, version string) {
	t.Helper()
	cells, err := filepath.Glob(filepath.Join(run, "cells", "fast-*", "cell.json"))
	if err != nil || len(cells) != 6 {
		t.Fatalf("%d cells, %v", len(cells), err)
	}
	for _, file := range cells {
		change(t, file, `"version": ""`, `"version": "`+version+`"`)
	}
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

// TestReproduceOthers names a run of a claim that is not checked.
func TestReproduceOthers(t *testing.T) {
	run, dir := twoTargets(t, 2, 2), bundle(t, faster, faster)
	other := written(t, 1, "1", "nats")
	if err := os.CopyFS(filepath.Join(dir, "other"), os.DirFS(other)); err != nil {
		t.Fatal(err)
	}
	change(t, filepath.Join(dir, "claims.yaml"), "- id: two\n    sentence: Fast is faster.\n    plan: plan.yaml\n    evidence: [run]",
		"- id: two\n    sentence: Fast is faster.\n    plan: other.yaml\n    evidence: [other]")
	code, stdout, stderr := invoke("reproduce", dir, "--claims", "one", "--with", run+","+other)
	if wantCode(t, code, command.ExitGood, stderr); strings.Contains(stdout, "claim two") {
		t.Error(stdout)
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
	const text = "targets:\n  - {name: fast, url: 'loopback:?delay=5ms'}\n  - {name: slow, url: 'loopback:?delay=40ms'}\n" +
		"cells: [{rate: 200, size: 64B}]\nduration: 1s\nwarmup: 100ms\nrepeat: 3\nfloor: off\n"
	file := filepath.Join(t.TempDir(), "plan.yaml")
	put(t, file, text)
	var code int
	var run, dir, stdout, stderr, out string
	unspoiled(func() bool {
		code, _, stderr, out = valid(t, "run", file, "--quiet", "--report", "off")
		wantCode(t, code, command.ExitGood, stderr)
		run = onlyFolder(t, out)
		dir = bundleOf(t, run, faster)
		put(t, filepath.Join(dir, "plan.yaml"), text)
		code, stdout, stderr, out = valid(t, "reproduce", dir)
		return code == command.ExitGood
	})
	if strings.Contains(stdout+stderr, " is limited by this machine") {
		t.Skip("five times the machine was busy")
	}
	if wantCode(t, code, command.ExitGood, stdout+stderr); !strings.Contains(stdout, "reproduced: claim one") {
		t.Error(stdout)
	}
	onlyFolder(t, out)

	tampered := bundleOf(t, run, slower)
	put(t, filepath.Join(tampered, "plan.yaml"), text)
	code, _, stderr = invoke("reproduce", tampered, "--out", t.TempDir())
	wantCode(t, code, command.ExitUsage, stderr)

	put(t, filepath.Join(dir, "plan.yaml"), strings.Replace(text, "'loopback:?delay=40ms'", "'nats://127.0.0.1:1'", 1))
	code, stdout, stderr = invoke("reproduce", dir, "--repeat", "1", "--out", t.TempDir())
	wantCode(t, code, command.ExitInvalid, stderr)
	if !strings.Contains(stdout, "not decided: claim one") || !strings.Contains(stderr, "127.0.0.1:1") {
		t.Errorf("a broker that is not there: %s%s", stdout, stderr)
	}
}

func TestReproduceInterrupted(t *testing.T) {
	dir, out := bundle(t, faster), t.TempDir()
	put(t, filepath.Join(dir, "plan.yaml"), "name: x\ntargets:\n  - {name: fast, url: 'loopback:?delay=1ms'}\n  - {name: slow, url: 'loopback:?delay=8ms'}\n"+
		"cells: [{rate: 200, size: 64B}]\nduration: 3s\nwarmup: 0s\nrepeat: 3\nfloor: off\n")
	end := signalASecondLater(t, out, syscall.SIGINT)
	code, stdout, stderr := invoke("reproduce", dir, "--out", out)
	end()
	wantCode(t, code, command.ExitInterrupted, stderr)
	if onlyFolder(t, out); !strings.Contains(stdout, "not decided: claim one") {
		t.Error(stdout)
	}
}

// TestReproduceChecksAllPlans has mistakes in plans behind the first, which is not measured then.
func TestReproduceChecksAllPlans(t *testing.T) {
	const good = "name: x\ntargets: [{name: fast, url: 'loopback:'}, {name: slow, url: 'loopback:'}]\nduration: 1m\n"
	for name, c := range map[string]struct{ plan, want string }{
		"a mistake":      {"targets: [loopback:]\nrat: 5\n", "third.yaml:2:1: unknown key"},
		"no such broker": {"targets: ['flotilla://h']\n", "third.yaml:1:"},
		"no such target": {"name: x\ntargets: [{name: fast, url: 'loopback:'}]\n", "claim three: third.yaml has no target slow"},
		"another plan":   {strings.Replace(good, "name: x", "name: y", 1), "is no run of third.yaml"},
	} {
		dir, out := bundle(t, faster, faster, faster), t.TempDir()
		change(t, filepath.Join(dir, "claims.yaml"), "- id: three\n    sentence: Fast is faster.\n    plan: plan.yaml", "- id: three\n    sentence: Fast is faster.\n    plan: third.yaml")
		put(t, filepath.Join(dir, "plan.yaml"), good)
		put(t, filepath.Join(dir, "third.yaml"), c.plan)
		code, _, stderr := invoke("reproduce", dir, "--out", out)
		if code != command.ExitUsage || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: exit code %d\n%s", name, code, stderr)
		}
		if found, err := os.ReadDir(out); err != nil || len(found) > 0 {
			t.Errorf("%s: %v measured, %v", name, found, err)
		}
	}
}

// TestReproduceSearch publishes a search, and searches again as it did.
func TestReproduceSearch(t *testing.T) {
	t.Parallel()
	const text = "targets:\n  - {name: fast, url: 'loopback:?delay=1ms'}\n  - {name: slow, url: 'loopback:?delay=40ms'}\n" +
		"cells: [{rate: 200, size: 64B}]\nwarmup: 100ms\ntimeout: 1s\nduration: 300ms\nfloor: off\naudit: off\n"
	file := filepath.Join(t.TempDir(), "plan.yaml")
	put(t, file, text)
	const claim = "rate: {slo: 'p50<20ms', of: slow, to: fast, high: 1}"
	var code int
	var stderr, run, out string
	unspoiled(func() bool { // a probe may be disturbed, and fast then not kept at --max
		code, _, stderr, out = valid(t, "search", file, "--slo", "p50<20ms", "--from", "100", "--max", "200", "--confirm", "300ms", "--unseen-pause", "0", "--report", "off")
		run = onlyFolder(t, out)
		found, err := search.Read(run)
		return code == command.ExitMissed && err == nil && found.Searches[0].Rows[0].Status == search.AtMax
	})
	wantCode(t, code, command.ExitMissed, stderr)
	dir := bundleOf(t, run, claim)
	put(t, filepath.Join(dir, "plan.yaml"), text)
	code, stdout, stderr := invoke("reproduce", dir, "--with", run)
	if wantCode(t, code, command.ExitGood, stderr); !strings.Contains(stdout, "highest rate with p50<20ms of slow / fast is at most 0.5") {
		t.Error(stdout)
	}
	code, stdout, stderr, out = valid(t, "reproduce", dir)
	wantCode(t, code, command.ExitGood, stdout+stderr)
	onlyFolder(t, out)
	wrong := bundleOf(t, run, faster)
	code, _, stderr = invoke("reproduce", wrong, "--with", run)
	if wantCode(t, code, command.ExitUsage, stderr); !strings.Contains(stderr, "is a search, whose probes are no repeats") {
		t.Error(stderr)
	}
	change(t, filepath.Join(dir, "run", search.File), search.Schema, "brokerbench/search/1")
	code, _, stderr = invoke("reproduce", dir, "--with", run)
	if wantCode(t, code, command.ExitUsage, stderr); !strings.Contains(stderr, "is a search of an earlier version") {
		t.Error(stderr)
	}
}

func TestReproduceSums(t *testing.T) {
	run := twoTargets(t, 2, 1)
	dir := bundleOf(t, run, faster)
	put(t, filepath.Join(dir, "plan.yaml"), "targets: ['loopback:']\n")
	sums(t, dir)
	code, stdout, stderr := invoke("reproduce", dir, "--with", run)
	if wantCode(t, code, command.ExitGood, stderr); !strings.Contains(stdout, "every file is as SHA256SUMS says") {
		t.Error(stdout)
	}
	change(t, filepath.Join(dir, "claims.yaml"), "Fast is faster.", "Fast is fastest.")
	code, _, stderr = invoke("reproduce", dir, "--with", run)
	if wantCode(t, code, command.ExitUsage, stderr); !strings.Contains(stderr, "claims.yaml differs from its checksum") {
		t.Error(stderr)
	}
}

// sums writes the checksums of a bundle with sha256sum.
func sums(t *testing.T, dir string) {
	t.Helper()
	c := exec.CommandContext(t.Context(), "sh", "-c", "find . -type f ! -name SHA256SUMS | sort | xargs sha256sum > SHA256SUMS && sha256sum --quiet -c SHA256SUMS")
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%s%v", out, err)
	}
}

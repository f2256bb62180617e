package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/cmd"
	"github.com/brokerbench/brokerbench/internal/resultstest"
	"github.com/brokerbench/brokerbench/results"
)

// asBrokerbench makes this program brokerbench, in the processes that tests start.
const asBrokerbench = "STUDY_TEST_AS_BROKERBENCH"

func TestMain(m *testing.M) {
	if os.Getenv(asBrokerbench) != "" {
		os.Exit(cmd.Main(brokers.All())) //nolint:forbidigo // this is a main function
	}
	os.Exit(m.Run()) //nolint:forbidigo // this is a main function
}

// page is the source of a page with a claim, a chart of six repeats, and the machine.
const page = `# A study

{{machine}}

{{claim "order"}}

{{plot "percentiles" "Two targets" "x" "fast-*" "slow-*"}}

{{raw}}`

const supported = "ratio: {percentile: 50, of: slow, to: {target: fast, series: response}, low: 1.5}"

// made returns a bundle of one run of six repeats, in which slow takes twice as long as fast.
func made(t *testing.T, page, claim string) bundle {
	t.Helper()
	t.Setenv(asBrokerbench, "1")
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var cells []resultstest.Cell
	for repeat := range 6 {
		for i, target := range []string{"fast", "slow"} {
			var second []time.Duration
			for k := range 2000 {
				second = append(second, time.Duration((i+1)*(1_000_000+1000*k+repeat*100)))
			}
			cells = append(cells, resultstest.Cell{Target: target, Rate: 100, Repeat: repeat + 1, Seconds: [][]time.Duration{second}})
		}
	}
	b := bundle{program: program, dir: t.TempDir()}
	const run = "runs/20261121-060000-x"
	text := "claims:\n  - {id: order, sentence: Fast is faster., plan: x.yaml, evidence: [" + run + "], " + claim + "}\n"
	err = errors.Join(
		os.CopyFS(filepath.Join(b.dir, run), os.DirFS(resultstest.Write(t, "x", cells...))),
		os.WriteFile(filepath.Join(b.dir, "x.yaml"), []byte("name: x\ntargets: [fast=nats://h, slow=nats://h]\nmatrix: {rate: 100}\nrepeat: 6\n"), 0o600),
		os.WriteFile(filepath.Join(b.dir, "claims.yaml"), []byte(text), 0o600),
		os.WriteFile(filepath.Join(b.dir, pageFile), []byte(page), 0o600))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A page is the same each time, and the HTML needs no other file.
func TestPage(t *testing.T) {
	b := made(t, page, supported)
	var before [2]string
	for i := range 2 {
		if err := b.page(t.Context()); err != nil {
			t.Fatal(err)
		}
		now := [2]string{read(t, b.dir+"/index.md"), read(t, b.dir+"/index.html")}
		if i > 0 && now != before {
			t.Error("the second page differs")
		}
		before = now
	}
	for _, want := range []string{"**Fast is faster.**", " is 2 [", "](runs/20261121-060000-x)", "![Two targets](charts/01.svg)"} {
		if !strings.Contains(before[0], want) {
			t.Errorf("the page has no %q:\n%s", want, before[0])
		}
	}
	html := before[1]
	if strings.Count(html, "<svg") != 1 || strings.Contains(html, "<img") || strings.Contains(html, "src=") || !strings.Contains(html, "<title>A study</title>") {
		t.Error(html[:min(len(html), 3000)])
	}
}

// Nothing is written if the page says what the data do not, or leaves a claim out.
func TestPageRefuses(t *testing.T) {
	for name, c := range map[string][2]string{
		"unsupported":   {page, "rank: {percentile: 50, order: [slow, fast]}"},
		"not said":      {"# A study\n", supported},
		"said twice":    {page + `{{claim "order"}}`, supported},
		"unknown claim": {`{{claim "other"}}`, supported},
		"unknown cells": {page + `{{plot "percentiles" "None" "x" "other-*"}}`, supported},
		"unknown run":   {page + `{{plot "percentiles" "None" "y" "fast-*"}}`, supported},
	} {
		b := made(t, c[0], c[1])
		if err := b.page(t.Context()); err == nil {
			t.Errorf("%s: the page is made", name)
		}
		if _, err := os.Stat(b.dir + "/index.md"); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: index.md: %v", name, err)
		}
	}
}

// An error leaves a published bundle as it was.
func TestPageKeepsABundle(t *testing.T) {
	for name, file := range map[string]string{"an unsupported claim": "claims.yaml", "a changed run": "runs/20261121-060000-x/run.json", "a page without the claim": pageFile} {
		b := made(t, page, supported)
		if err := b.page(t.Context()); err != nil {
			t.Fatal(err)
		}
		text := map[string]string{"claims.yaml": strings.Replace(read(t, b.dir+"/claims.yaml"), "low: 1.5", "low: 2.5", 1), pageFile: "# A study\n"}[file]
		if err := os.WriteFile(filepath.Join(b.dir, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		want := [3]string{read(t, b.dir+"/SHA256SUMS"), read(t, b.dir+"/charts/01.svg"), read(t, b.dir+"/index.md")}
		if err := b.page(t.Context()); err == nil {
			t.Errorf("%s: the page is made", name)
		}
		if got := [3]string{read(t, b.dir+"/SHA256SUMS"), read(t, b.dir+"/charts/01.svg"), read(t, b.dir+"/index.md")}; got != want {
			t.Errorf("%s: the bundle differs", name)
		}
		if _, err := os.Stat(b.dir + "/charts.new"); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: charts.new: %v", name, err)
		}
	}
}

// The table of runs has the folder of each, of one name too.
func TestPageLinksEachRun(t *testing.T) {
	b := made(t, page+"\n{{machine \"virtual cores\"}}", supported)
	if err := os.CopyFS(b.dir+"/runs/20261122-060000-x", os.DirFS(b.dir+"/runs/20261121-060000-x")); err != nil {
		t.Fatal(err)
	}
	if err := b.page(t.Context()); err != nil {
		t.Fatal(err)
	}
	text := read(t, b.dir+"/index.md")
	for _, want := range []string{"](runs/20261121-060000-x) |", "](runs/20261122-060000-x) |", " cores (", " virtual cores ("} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func TestABundleIsSmall(t *testing.T) {
	b := bundle{dir: t.TempDir()}
	file := filepath.Join(b.dir, results.IntervalsFile)
	for size, small := range map[int64]bool{mostBytes: true, mostBytes + 1: false} {
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(file, size); err != nil {
			t.Fatal(err)
		}
		if err := b.seal(); (err == nil) != small {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}

func TestCompact(t *testing.T) {
	dir := t.TempDir()
	files := map[string][2]string{"a.json": {"{\n  \"a b\": [\n    1\n  ]\n}\n", "{\"a b\":[1]}\n"}, "b.hgrm": {"  1\n", "  1\n"}}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text[0]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if err := compact(dir); err != nil {
			t.Fatal(err)
		}
		for name, text := range files {
			if got := read(t, filepath.Join(dir, name)); got != text[1] {
				t.Errorf("%s: got %q, want %q", name, got, text[1])
			}
		}
	}
}

// Every plan of the study is good, and every part has one.
func TestPlans(t *testing.T) {
	files, err := filepath.Glob("../../" + plans + "/*.yaml")
	if err != nil || len(files) < 4 {
		t.Fatalf("%v, %v", files, err)
	}
	t.Setenv(asBrokerbench, "1")
	for _, name := range []string{"NATS", "REDIS"} {
		t.Setenv("BROKERBENCH_"+name+"_URL", strings.ToLower(name)+"://127.0.0.1:1")
		t.Setenv("BROKERBENCH_"+name+"_TLS_URL", map[string]string{"NATS": "nats+tls", "REDIS": "rediss"}[name]+"://127.0.0.1:1")
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	a := author{bundle: bundle{program: program}, ctx: t.Context()}
	if _, err := a.ask(append([]string{"config", "validate"}, files...)...); err != nil {
		t.Error(err)
	}
}

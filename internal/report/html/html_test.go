package html_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/internal/report/html"
	"github.com/brokerbench/brokerbench/results"
)

func ExampleWrite() {
	store, err := results.Open("brokerbench-results/20260102-150405-quick")
	if err != nil {
		return // there is no such run here
	}
	_ = html.Write(os.Stdout, store)
	// Output:
}

var reference = regexp.MustCompile(`(https?:)?//[a-z0-9.-]+\.[a-z]{2,}|\burl\(|@import|\bsrc=|\bhref="[^#]`)

// Nothing in the file asks for anything outside of it: what looks like an address
// is in uPlot's licence banner and in the name of SVG.
func TestNoReferences(t *testing.T) {
	_, text := write(t, newStore(t, "four", four()...))
	for _, known := range []string{"/*! https://github.com/leeoniya/uPlot (v1.6.32) */", `"http://www.w3.org/2000/svg"`} {
		if !strings.Contains(text, known) {
			t.Errorf("the file has no %s", known)
		}
		text = strings.ReplaceAll(text, known, "")
	}
	for _, found := range reference.FindAllString(text, -1) {
		t.Errorf("the file refers to %q", found)
	}
	if !strings.Contains(text, "Copyright (c) 2022 Leon Sorokin") {
		t.Error("uPlot's licence is not in the file")
	}
}

var (
	inline = regexp.MustCompile(`(?s)<(script|style)>(.*?)</(?:script|style)>`)
	meta   = regexp.MustCompile(`<meta http-equiv="Content-Security-Policy" content="([^"]*)">`)
)

// The policy permits the two scripts and the style of the file and nothing else.
func TestPolicy(t *testing.T) {
	_, text := write(t, newStore(t, "four", four()...))
	policy := meta.FindStringSubmatch(text)
	if policy == nil || !strings.HasPrefix(policy[1], "default-src 'none'; ") || strings.Contains(policy[1], "unsafe") {
		t.Fatalf("policy %q", policy)
	}
	parts := inline.FindAllStringSubmatch(text, -1)
	if len(parts) != 3 || strings.Count(policy[1], "sha256-") != 3 {
		t.Fatalf("%d scripts and styles; policy %s", len(parts), policy[1])
	}
	for _, part := range parts {
		sum := sha256.Sum256([]byte(part[2]))
		want := part[1] + "-src "
		_, sources, _ := strings.Cut(policy[1], want)
		sources, _, _ = strings.Cut(sources, ";")
		if hash := "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.Contains(sources, hash) {
			t.Errorf("%s %.40q has hash %s, permitted are %s", part[1], part[2], hash, sources)
		}
	}
}

// hostile is what a target may call itself.
const hostile = "</script><script>pwned=1</script><img src=x onerror=pwned=1>\u2028&amp;<!--"

func hostileStore(t *testing.T) *results.Store {
	store := newStore(t, "hostile", measurement{target: hostile, rate: 100, window: 4, stall: true, lost: 3, change: func(c *results.Cell) {
		c.Plan.Shape.Arrivals = hostile
		c.Broker = results.Broker{Product: hostile, Version: hostile, Client: hostile}
		c.Broker.Settings = []results.Setting{{Name: hostile, Value: hostile}}
		c.Problems = []results.Problem{{Code: hostile, Severity: results.Suspect, Text: hostile}}
		c.Events = []results.Event{{AtNS: 1e9, Text: hostile}}
		c.Failures = []results.Failure{{Cause: hostile, Count: 1}}
	}})
	editRun(t, store, func(run *results.Run) {
		run.Name, run.Command = hostile, []string{"brokerbench", hostile}
		run.Cells = append(run.Cells, results.Entry{ID: hostile, Error: hostile})
	})
	return store
}

// Names from outside are data: none of their markup is in the file.
func TestHostileNamesStayData(t *testing.T) {
	_, text := write(t, hostileStore(t))
	for _, markup := range []string{"<img", "<script>pwned"} {
		if strings.Contains(text, markup) {
			t.Errorf("the file contains %q", markup)
		}
	}
	_, data, _ := strings.Cut(text, `id="data">`)
	data, _, _ = strings.Cut(data, "</script>")
	if strings.ContainsAny(data, "<>&\u2028") {
		t.Error("the data is not escaped")
	}
	var document struct{ Cells []struct{ Target string } }
	if err := json.Unmarshal([]byte(data), &document); err != nil || document.Cells[0].Target != hostile {
		t.Errorf("%+v, %v", document, err)
	}
}

// What is not there is no error: cells that were not reached, logs and resources
// of earlier versions; a file that is broken is one.
func TestAbsentAndBroken(t *testing.T) {
	store := newStore(t, "two", four()[:2]...)
	cells, _ := filepath.Glob(filepath.Join(store.Dir(), "cells", "*"))
	for _, name := range []string{"intervals.hlog", "resources.json"} {
		if err := os.Remove(filepath.Join(cells[0], name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(filepath.Join(cells[1], "cell.json")); err != nil {
		t.Fatal(err)
	}
	editRun(t, store, func(run *results.Run) {
		run.Cells = append(run.Cells, results.Entry{ID: "later"}, results.Entry{ID: "broken", Error: "refused"})
	})
	_, text := write(t, store)
	for _, want := range []string{`"id":"later"`, `"error":"refused"`, `"error":"cell.json is missing"`} {
		if !strings.Contains(text, want) {
			t.Errorf("the file does not contain %s", want)
		}
	}
	// cell.json last: without it nothing else of a cell is read.
	for _, file := range [][3]string{
		{"intervals.hlog", "nonsense\n", "intervals.hlog: "},
		{"resources.json", "{", "reading resources.json of "},
		{"cell.json", `{"schema":"brokerbench/cell/99"}`, "cell/99"},
	} {
		path := filepath.Join(cells[0], file[0])
		if err := os.WriteFile(path, []byte(file[1]), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := html.Write(io.Discard, store); err == nil || !strings.Contains(err.Error(), file[2]) {
			t.Errorf("%s is broken: %v", file[0], err)
		}
		_ = os.Remove(path)
	}
}

// The file is small: the classic matrix (20 cells of 35 s) stays below 2 MB.
func TestSize(t *testing.T) {
	_, empty := write(t, newStore(t, "none"))
	_, text := write(t, newStore(t, "one", measurement{target: "a", rate: 3000, window: 30}))
	size := len(empty) + 20*(len(text)-len(empty))
	t.Logf("%d bytes of page, %d a cell of 30 s at 3,000/s, %d in all for 20", len(empty), len(text)-len(empty), size)
	if size > 2_000_000 {
		t.Errorf("20 cells take %d bytes", size)
	}
}

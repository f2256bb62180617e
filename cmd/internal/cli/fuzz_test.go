package cli

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/internal/resultstest"
	"github.com/brokerbench/brokerbench/results"
)

// These bound every reading command, for an input of at most so many bytes. The
// memory is all that is allocated, freed or not.
const (
	fuzzInput  = 64 << 10
	fuzzTime   = 20 * time.Second
	fuzzMemory = 2 << 30
)

// A reading is what is done with an input of a kind: the commands, in which FILE
// stands for a file of that name that holds it, TEXT for the input itself, and DIR
// for a result set of which FILE is a file.
type reading struct {
	file     string // below DIR
	commands []string
	seeds    []string
}

// readings returns a reading for each kind of input. whole is a result set.
func readings(t testing.TB, whole string) []reading {
	cell := filepath.Join(results.CellsFolder, onlyEntry(t, filepath.Join(whole, results.CellsFolder)))
	text := func(name string) string {
		b, err := os.ReadFile(filepath.Join(whole, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	cellFile, hgrm, hlog := filepath.Join(cell, results.CellFile), filepath.Join(cell, results.ResponseFile), filepath.Join(cell, results.IntervalsFile)
	set := []string{
		"report DIR -o page.html --force", "report DIR --format json", "report DIR --format md", "plot percentiles DIR -o a.svg --force",
		"plot timeline DIR -o a.svg --force", "plot rate DIR -o a.svg --force", "merge DIR", "compare DIR DIR",
	}
	return []reading{
		{"plan.yaml", []string{"config validate FILE", "plan -f FILE", "run -f FILE --dry-run"}, []string{
			"targets: [nats://h]\nmatrix: {rate: [1k..64k*2], size: [1KiB]}\nslo: [p99<5ms]\n", "cells: [{rate: 1e99}]", "a: &a [*a]", "\t",
		}},
		{"", []string{"plan TEXT", "run TEXT --dry-run --format json"}, []string{
			"nats://u:p@h:4222?tls-ca=/dev/zero", "redis://u:p@ss/w?rd@h", "kafka://a,b:9,c?acks=all", "amqp://[::1]:0/%2f?x=%zz", "loopback:?delay=1h",
		}},
		{"", []string{"plan nats://h --slo TEXT", "plan nats://h --rate TEXT", "plan nats://h --size TEXT", "plan nats://h --arrivals TEXT"}, []string{
			"p99<5ms", "p99.9999999<1e300h", "1..1e18+1", "burst:9223372036854775807", "-1", "1k..64k*2",
		}},
		{"x.hgrm", []string{"plot percentiles FILE -o a.svg --force", "plot rate FILE -o a.svg --force"}, []string{text(hgrm), strings.ReplaceAll(text(hgrm), "0.5", "1e308")}},
		{"x.hlog", []string{"plot percentiles FILE -o a.svg --force", "plot timeline FILE -o a.svg --log --force", "merge FILE"}, []string{
			text(hlog), strings.ReplaceAll(text(hlog), "Tag=", "Tag=\xff"), strings.ReplaceAll(text(hlog), ",1.000,", ",9e9,"),
		}},
		{cellFile, set, jsonSeeds(text(cellFile))},
		{results.RunFile, set, jsonSeeds(text(results.RunFile))},
	}
}

// jsonSeeds returns a file, and others that its readers must refuse or endure.
func jsonSeeds(text string) []string {
	return []string{
		text, "{}", "null", strings.ReplaceAll(text, ": 1", ": -1"), strings.ReplaceAll(text, ": 1", ": 9223372036854775807"),
		strings.ReplaceAll(text, "nats", "\\u0000<script>"), text[:len(text)/2], strings.ReplaceAll(text, "[", "[null,"),
	}
}

func onlyEntry(t testing.TB, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Fatalf("%v, %v", entries, err)
	}
	return entries[0].Name()
}

// FuzzReadingCommands gives every command that reads what others may have written a
// plan, a URL, an objective or a file of a result: it ends soon, in little memory,
// without a panic, and with an exit code of its own.
func FuzzReadingCommands(f *testing.F) {
	whole := resultstest.Write(f, "fuzz", resultstest.Cell{Target: "nats", Rate: 1000, Seconds: [][]time.Duration{{time.Millisecond, 2 * time.Millisecond}, {time.Second}}, Hiccup: time.Millisecond})
	kinds := readings(f, whole)
	for kind, r := range kinds {
		for _, seed := range r.seeds {
			f.Add(byte(kind), seed)
		}
	}
	f.Fuzz(func(t *testing.T, kind byte, input string) {
		r := kinds[int(kind)%len(kinds)]
		if len(input) > fuzzInput || strings.ContainsRune(input, 0) && r.file == "" {
			t.Skip() // no command line holds a zero
		}
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS(whole)); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, r.file)
		if r.file != "" {
			if err := os.WriteFile(file, []byte(input), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for _, line := range r.commands {
			reads(t, dir, file, input, strings.Fields(line))
		}
	})
}

// reads runs one command and wants it to keep the bounds.
func reads(t *testing.T, dir, file, input string, args []string) {
	t.Helper()
	for i, arg := range args {
		switch arg {
		case "FILE":
			args[i] = file
		case "DIR":
			args[i] = dir
		case "TEXT":
			args[i] = input
		case "a.svg", "page.html":
			args[i] = filepath.Join(dir, arg)
		}
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	code, _, stderr := invoke(args...)
	took := time.Since(start)
	runtime.ReadMemStats(&after)
	if code != command.ExitGood && code != command.ExitError && code != command.ExitUsage && code != command.ExitInvalid && code != command.ExitRegression {
		t.Errorf("%q: exit code %d: %s", args, code, stderr)
	}
	if code != command.ExitGood && code != command.ExitRegression && stderr == "" && args[0] != "compare" {
		t.Errorf("%q: exit code %d without a word", args, code)
	}
	if got := after.TotalAlloc - before.TotalAlloc; took > fuzzTime || got > fuzzMemory {
		t.Errorf("%q took %v and %d MiB", args, took, got>>20)
	}
}

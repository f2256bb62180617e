package cli

import (
	"errors"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/histogram"
)

const goldenFiles = "../../../histogram/testdata/golden/"

func TestPlotOfAMeasuredRun(t *testing.T) {
	t.Parallel()
	run, out := measured(t), t.TempDir()
	for _, kind := range []string{"percentiles", "timeline", "rate", "stack"} {
		svg, picture := filepath.Join(out, kind+".svg"), filepath.Join(out, kind+".PNG")
		code, stdout, stderr := invoke("plot", kind, run, "-o", svg)
		wantCode(t, code, command.ExitGood, stderr)
		text, err := os.ReadFile(svg)
		if err != nil || !strings.HasPrefix(string(text), "<?xml") || !strings.Contains(string(text), "loopback") {
			t.Errorf("%s: %v: %.100s", kind, err, text)
		}
		if stdout != "file: "+svg+"\n" {
			t.Errorf("%s prints %q", kind, stdout)
		}
		code, _, stderr = invoke("plot", kind, run, "-o", picture, "--log", "--width", "700", "--height", "640")
		wantCode(t, code, command.ExitGood, stderr)
		f, err := os.Open(picture)
		if err != nil {
			t.Fatal(err)
		}
		config, err := png.DecodeConfig(f)
		if err != nil || config.Width != 700 || config.Height != 640 {
			t.Errorf("%s: %d×%d, %v", kind, config.Width, config.Height, err)
		}
		_ = f.Close()
	}
	if left, _ := filepath.Glob(filepath.Join(out, ".*")); len(left) > 0 {
		t.Errorf("temporary files are left: %v", left)
	}
}

func TestPlotOfForeignFiles(t *testing.T) {
	t.Parallel()
	run, svg := measured(t), filepath.Join(t.TempDir(), "x.svg")
	cells, _ := filepath.Glob(filepath.Join(run, "cells", "*"))
	code, _, stderr := invoke("plot", "percentiles", cells[0], goldenFiles+"stall.hgrm", "../../../internal/report/plot/testdata/wrk2.txt", "-o", svg, "--tag", "response,service")
	wantCode(t, code, command.ExitGood, stderr)
	text, err := os.ReadFile(svg)
	if err != nil {
		t.Fatal(err)
	}
	lines := regexp.MustCompile(`>(?:INVALID|SUSPECT): [^<]*<`).ReplaceAllString(string(text), "") // on a busy machine a verdict names its line
	for _, name := range []string{">loopback 100/s 64B 1 connection response", "1 connection service<", ">stall.hgrm<", ">wrk2.txt<"} {
		if n := strings.Count(lines, name); n != 1 {
			t.Errorf("the chart names %q %d times", name, n)
		}
	}
}

// How a chart looks is told by flags.
func TestPlotLooks(t *testing.T) {
	t.Parallel()
	run, out := measured(t, "--repeat", "2"), t.TempDir()
	path := filepath.Join(out, "x.png")
	code, _, stderr := invoke("plot", "percentiles", run, "-o", path, "--theme", "dark", "--scale", "2", "--title", "Mine")
	wantCode(t, code, command.ExitGood, stderr)
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if config, err := png.DecodeConfig(f); err != nil || config.Width != 1920 {
		t.Errorf("%d pixels wide, %v", config.Width, err)
	}
	svg := filepath.Join(out, "x.svg")
	code, _, stderr = invoke("plot", "percentiles", run, "-o", svg, "--tag", "response,service")
	wantCode(t, code, command.ExitGood, stderr)
	text, err := os.ReadFile(svg)
	if n := strings.Count(string(text), ">loopback 100/s"); err != nil || n != 2 {
		t.Errorf("two repeats of two rates have %d lines of the first, want a response and a service: %v", n, err)
	}
	for flags, says := range map[string]string{
		"--log --linear": "want one of them", "--theme drak": `did you mean "dark"?`, "--scale 99": "a scale of 99 is not between 0.5 and 8",
	} {
		code, _, stderr := invoke(append([]string{"plot", "rate", run, "-o", filepath.Join(out, "y.svg")}, strings.Fields(flags)...)...)
		wantCode(t, code, command.ExitUsage, stderr, says)
	}
}

// A file in another unit is drawn like the same file in milliseconds; an unlikely unit is named.
func TestPlotOfOtherUnits(t *testing.T) {
	dir := t.TempDir()
	draw := func(kind, file, content string, flags ...string) (svg, notes string) {
		path, out := filepath.Join(dir, file), filepath.Join(dir, "x.svg")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		code, _, stderr := invoke(append([]string{"plot", kind, path, "-o", out, "--force"}, flags...)...)
		wantCode(t, code, command.ExitGood, stderr)
		text, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		return string(text), stderr
	}
	const table = "Value Percentile TotalCount 1/(1-Percentile)\n\n%s 0.5 5 2\n%s 0.9 9 10\n%s 1 10 inf\n"
	fill := func(a, b, c string) string {
		return strings.NewReplacer("%s 0.5", a+" 0.5", "%s 0.9", b+" 0.9", "%s 1", c+" 1").Replace(table)
	}
	want, note := draw("percentiles", "a.hgrm", fill("0.85", "0.9", "2"))
	if note != "" {
		t.Errorf("milliseconds: %s", note)
	}
	for unit, content := range map[string]string{"ns": fill("850000", "900000", "2000000"), "us": fill("850", "900", "2000"), "s": fill("0.00085", "0.0009", "0.002")} {
		if got, note := draw("percentiles", "a.hgrm", content, "--unit", unit); got != want || note != "" {
			t.Errorf("%s: the chart differs from that in ms, or has the note %q", unit, note)
		}
	}
	if _, note = draw("percentiles", "a.hgrm", fill("850000", "900000", "2000000")); !strings.Contains(note, "--unit") {
		t.Errorf("a median of 850 s: %q", note)
	}
	log := histogram.New() // 850, in a unit that the log does not name
	for range 1000 {
		log.Record(850)
	}
	var text strings.Builder
	if err := histogram.NewLogWriter(&text, time.Unix(0, 0)).Write("", 0, time.Second, log); err != nil {
		t.Fatal(err)
	}
	var tagged strings.Builder
	w, long := histogram.NewLogWriter(&tagged, time.Unix(0, 0)), histogram.New()
	long.Record(850 * time.Microsecond)
	if err := errors.Join(w.Write("short", 0, time.Second, log), w.Write("long", 0, time.Second, long)); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"timeline", "percentiles"} {
		if _, note = draw(kind, "a.hlog", text.String()); !strings.Contains(note, "--unit") {
			t.Errorf("%s: a median of 850 ns: %q", kind, note)
		}
		if svg, note := draw(kind, "a.hlog", text.String(), "--unit", "us"); !strings.Contains(svg, ">0.8<") || note != "" {
			t.Errorf("%s: 850 µs are not on the axis, or %q", kind, note)
		}
		if _, note = draw(kind, "b.hlog", tagged.String(), "--tag", "short"); !strings.Contains(note, "--unit") {
			t.Errorf("%s: a median of 850 ns under the tag that is drawn: %q", kind, note)
		}
		if _, note = draw(kind, "b.hlog", tagged.String(), "--tag", "long"); note != "" {
			t.Errorf("%s: a median of 850 µs under the tag that is drawn: %q", kind, note)
		}
	}
}

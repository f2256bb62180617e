package cli

import (
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const goldenFiles = "../../../histogram/testdata/golden/"

// measured returns the folder of a run of two rates, which is really measured.
func measured(t *testing.T) string {
	t.Helper()
	out := t.TempDir()
	code, _, stderr := command("run", "loopback:?delay=1ms", "--quiet", "--floor", "off", "--out", out,
		"--rate", "100,200", "--size", "64B", "--duration", "1s", "--warmup", "100ms")
	wantCode(t, code, exitGood, stderr)
	runs, err := filepath.Glob(filepath.Join(out, "*"))
	if err != nil || len(runs) != 1 {
		t.Fatal(runs, err)
	}
	return runs[0]
}

func TestPlotOfAMeasuredRun(t *testing.T) {
	run, out := measured(t), t.TempDir()
	for _, kind := range []string{"percentiles", "timeline", "rate"} {
		svg, picture := filepath.Join(out, kind+".svg"), filepath.Join(out, kind+".PNG")
		code, stdout, stderr := command("plot", kind, run, "-o", svg)
		wantCode(t, code, exitGood, stderr)
		text, err := os.ReadFile(svg)
		if err != nil || !strings.HasPrefix(string(text), "<?xml") || !strings.Contains(string(text), "loopback") {
			t.Errorf("%s: %v: %.100s", kind, err, text)
		}
		if stdout != "file: "+svg+"\n" {
			t.Errorf("%s prints %q", kind, stdout)
		}
		code, _, stderr = command("plot", kind, run, "-o", picture, "--log", "--width", "700", "--height", "640")
		wantCode(t, code, exitGood, stderr)
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
	run, svg := measured(t), filepath.Join(t.TempDir(), "x.svg")
	cells, _ := filepath.Glob(filepath.Join(run, "cells", "*"))
	code, _, stderr := command("plot", "percentiles", cells[0], goldenFiles+"stall.hgrm", "../../../report/plot/testdata/wrk2.txt", "-o", svg, "--tag", "response,service")
	wantCode(t, code, exitGood, stderr)
	text, err := os.ReadFile(svg)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{">loopback 100/s 64B 1 connection response", "connection service", ">stall.hgrm<", ">wrk2.txt<"} {
		if n := strings.Count(string(text), name); n != 1 {
			t.Errorf("the chart names %q %d times", name, n)
		}
	}
}

func TestPlotMistakes(t *testing.T) {
	run, out := measured(t), filepath.Join(t.TempDir(), "x.svg")
	for _, tt := range []struct {
		args string
		code int
		says string
	}{
		{"percentiles -o " + out, exitUsage, "want paths: the folder of a run or of a cell, a .hgrm or a .hlog"},
		{"percentiles " + run, exitUsage, "--output (-o) is missing: want a file whose name ends with .svg or .png"},
		{"percentiles " + run + " -o x.pdf", exitUsage, "--output x.pdf: want a file whose name ends with .svg or .png"},
		{"percentiles " + run + " --width 3 -o " + out, exitUsage, "a width of 3 pixels"},
		{"percentiles " + run + " --tag lga -o " + out, exitUsage, `no such tag as "lga": it has`},
		{"percentiles " + goldenFiles + "golden.hlog -o " + out, exitUsage, "choose one with --tag"},
		{"timeline " + goldenFiles + "stall.hgrm -o " + out, exitUsage, "stall.hgrm: cannot be drawn: a percentile table has no times"},
		{"rate " + goldenFiles + "stall.hgrm -o " + out, exitUsage, "stall.hgrm: cannot be drawn: a file does not say at which rate"},
		{"rate " + run + "/cells/loopback-100-64B-c1-fopen-r1 -o " + out, exitUsage, "no two of 1 cells differ only in their rate"},
		{"percentiles nothing -o " + out, exitError, "nothing: no such file or directory (want"},
		{"percentiles plot_test.go -o " + out, exitError, "plot_test.go: neither an interval log nor a percentile table"},
		{"percentiles " + run + " -o /dev/null/x.svg", exitError, "writing /dev/null/x.svg: not a directory"},
		{"percentile " + run, exitUsage, `did you mean "percentiles"?`},
		{"rate " + run + " --tag lag -o " + out, exitUsage, "unknown flag: --tag"},
	} {
		code, stdout, stderr := command(append([]string{"plot"}, strings.Fields(tt.args)...)...)
		wantCode(t, code, tt.code, stderr, tt.says)
		if stdout != "" || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: %q on stdout, and not one line: %s", tt.args, stdout, stderr)
		}
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a file was written all the same")
	}
}

package cli

import (
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/cmd/internal/command"
)

const goldenFiles = "../../../histogram/testdata/golden/"

func TestPlotOfAMeasuredRun(t *testing.T) {
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
	run, svg := measured(t), filepath.Join(t.TempDir(), "x.svg")
	cells, _ := filepath.Glob(filepath.Join(run, "cells", "*"))
	code, _, stderr := invoke("plot", "percentiles", cells[0], goldenFiles+"stall.hgrm", "../../../internal/report/plot/testdata/wrk2.txt", "-o", svg, "--tag", "response,service")
	wantCode(t, code, command.ExitGood, stderr)
	text, err := os.ReadFile(svg)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{">loopback 100/s 64B 1 connection response", "1 connection service<", ">stall.hgrm<", ">wrk2.txt<"} {
		if n := strings.Count(string(text), name); n != 1 {
			t.Errorf("the chart names %q %d times", name, n)
		}
	}
}

// How a chart looks is told by flags.
func TestPlotLooks(t *testing.T) {
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

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/internal/resultstest"
)

// mixed is a run of two targets, of which one acknowledges nothing.
func mixed(t *testing.T) string {
	seconds := [][]time.Duration{{time.Millisecond, 2 * time.Millisecond}, {3 * time.Millisecond}}
	return resultstest.Write(t, "mixed",
		resultstest.Cell{Target: "durable", Rate: 10, Seconds: seconds, Probes: resultstest.Probes{"lag": 100, "ack": 2, "complete": 1}},
		resultstest.Cell{Target: "volatile", Rate: 10, Seconds: seconds, Probes: resultstest.Probes{"lag": 100}},
	)
}

// What lacks a tag is left out and named, if others have it.
func TestPlotLeavesOutWhatLacksATag(t *testing.T) {
	run, svg := mixed(t), filepath.Join(t.TempDir(), "x.svg")
	for _, kind := range []string{"percentiles", "timeline"} {
		code, _, stderr := invoke("plot", kind, run, "--tag", "ack", "-o", svg, "--force")
		wantCode(t, code, command.ExitGood, stderr, "note: volatile is left out, without values of ack\n")
		text, err := os.ReadFile(svg)
		if err != nil || strings.Contains(string(text), "volatile") {
			t.Errorf("%s: %v", kind, err)
		}
		code, _, stderr = invoke("plot", kind, run, "--tag", "response,ack", "-o", svg, "--force")
		wantCode(t, code, command.ExitGood, stderr, "note: volatile is left out, without values of ack\n")
		text, _ = os.ReadFile(svg)
		wantTexts(t, string(text), ">durable ack<", ">volatile response<")
		code, _, stderr = invoke("plot", kind, run, "--tag", "akc", "-o", svg, "--force")
		wantCode(t, code, command.ExitUsage, stderr, `no such tag as "akc"`)
	}
}

// A stack has all of them, at the percentile that was asked for.
func TestPlotStack(t *testing.T) {
	run, svg := mixed(t), filepath.Join(t.TempDir(), "x.svg")
	code, _, stderr := invoke("plot", "stack", run, "-o", svg, "--percentile", "max")
	wantCode(t, code, command.ExitGood, stderr)
	text, err := os.ReadFile(svg)
	if err != nil {
		t.Fatal(err)
	}
	wantTexts(t, string(text), "Probes of each cell at max", ">durable<", ">volatile<", ">acknowledged<")
	code, _, stderr = invoke("plot", "stack", run, "-o", svg, "--force", "--percentile", "99")
	wantCode(t, code, command.ExitUsage, stderr, "want p50", "or max", `did you mean "p99"?`)
	code, _, stderr = invoke("plot", "stack", goldenFiles+"stall.hgrm", "-o", svg, "--force")
	wantCode(t, code, command.ExitUsage, stderr, "a file has no probes (want the folder of a run or of cells)")
}

// Nodes that brokerbench knew are drawn, and the cells of others are named.
func TestPlotNodes(t *testing.T) {
	seconds := [][]time.Duration{{time.Millisecond}, {time.Millisecond}}
	known := resultstest.Cell{Target: "watched", Rate: 10, Seconds: seconds, Nodes: resultstest.ThreeNodes()}
	plain := resultstest.Cell{Target: "plain", Rate: 10, Seconds: seconds}
	svg := filepath.Join(t.TempDir(), "x.svg")
	code, _, stderr := invoke("plot", "nodes", resultstest.Write(t, "nodes", known, plain), "-o", svg)
	wantCode(t, code, command.ExitGood, stderr, "note: plain is left out, as brokerbench did not know the nodes\n")
	text, err := os.ReadFile(svg)
	if err != nil {
		t.Fatal(err)
	}
	wantTexts(t, string(text), ">Nodes over time<", ">CPU (cores)<", ">node 3<", ">watched<")
	code, _, stderr = invoke("plot", "nodes", resultstest.Write(t, "nodes", known), "-o", filepath.Join(t.TempDir(), "x.png"), "--theme", "dark", "--scale", "2")
	wantCode(t, code, command.ExitGood, stderr)
	code, _, stderr = invoke("plot", "nodes", resultstest.Write(t, "nodes", plain), "-o", svg, "--force")
	wantCode(t, code, command.ExitUsage, stderr, "brokerbench did not know the nodes of its target (docs/systems.md says how it does)")
	code, _, stderr = invoke("plot", "nodes", goldenFiles+"stall.hgrm", "-o", svg, "--force")
	wantCode(t, code, command.ExitUsage, stderr, "a file has no nodes (want the folder of a run or of cells)")
	code, _, stderr = invoke("plot", "nodes", "--log", "-o", svg, "--force")
	wantCode(t, code, command.ExitUsage, stderr, "unknown flag: --log")
}

package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/cmd/internal/analysis"
	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/internal/live"
	"github.com/brokerbench/brokerbench/internal/search"
	"github.com/brokerbench/brokerbench/results"
)

// searchArgs are a search that takes seconds, into a folder of the test's.
func searchArgs(t *testing.T, args ...string) (all []string, out string) {
	t.Helper()
	out = t.TempDir()
	return append([]string{
		"search", "--out", out, "--floor", "off", "--from", "500", "--max", "2000", "--precision", "100%",
		"--duration", "300ms", "--confirm", "400ms", "--at-most", "1m", "--warmup", "100ms", "--timeout", "2s",
	}, args...), out
}

// searchUntil searches until it ends with an exit code and good holds of what it prints, each
// time into a new folder, out. A machine that stands still for as long as a probe gives
// other answers, which are no errors.
func searchUntil(t *testing.T, want int, good func(stdout, stderr string) bool, args ...string) (code int, stdout, stderr, out string) {
	t.Helper()
	unspoiled(func() bool {
		var all []string
		all, out = searchArgs(t, args...)
		code, stdout, stderr = invoke(all...)
		return code == want && good(stdout, stderr) || code != want && code != command.ExitMissed && code != command.ExitInvalid
	})
	return code, stdout, stderr, out
}

// atMax tells of a search with two SLOs, as JSON, whether the highest rate keeps both.
func atMax(stdout string) bool {
	return strings.Count(stdout, strconv.Quote(string(search.AtMax))) == 2
}

func wantAtMax(t *testing.T, rate int, rows []search.Row) {
	t.Helper()
	for _, row := range rows {
		if row.Status != search.AtMax || row.Rate != rate || row.At == nil {
			t.Errorf("%+v, want %d/s kept", row, rate)
		}
	}
}

// A search keeps every probe like a cell of a run, with what was found beside it,
// and everything that reads a run reads it.
func TestSearchKeepsItsProbes(t *testing.T) {
	t.Parallel()
	const last = "[4] loopback, 1 KiB at 2,000/s for 300ms to decide: "
	good := func(stdout, stderr string) bool { return atMax(stdout) && strings.Contains(stderr, last) }
	code, stdout, stderr, out := searchUntil(t, command.ExitGood, good, "loopback:", "--slo", "p50<1s,loss<1%", "--format", "json")
	wantCode(t, code, command.ExitGood, stderr, "1 search of at most 1m0s: about 3 probes find the way; to decide about a rate takes at least\n  400ms for p50<1s\n",
		"[1] loopback, 1 KiB at 500/s for 300ms: p50<1s kept, ", "; loss<1% kept, 0 %\n", last)
	document := decode[struct{ Run results.Run }](t, stdout)
	dir := onlyFolder(t, out)
	text, err := os.ReadFile(filepath.Join(dir, command.SearchFile))
	kept := decode[search.Document](t, string(text))
	if err != nil || kept.Schema != search.Schema || len(kept.Searches) != 1 || len(kept.Searches[0].Rows) != 2 || len(kept.Searches[0].Probes) < 4 {
		t.Fatalf("%s, %v", text, err)
	}
	wantAtMax(t, 2000, kept.Searches[0].Rows)
	for i, p := range kept.Searches[0].Probes {
		if i >= len(document.Run.Cells) || p.CellID != document.Run.Cells[i].ID {
			t.Errorf("probe %d is cell %s, in the run %+v", i, p.CellID, document.Run.Cells)
		}
	}
	if page, err := os.ReadFile(filepath.Join(dir, analysis.ReportFile)); err != nil || !strings.Contains(string(page), `id="cell-3"`) {
		t.Errorf("%d bytes of report, %v", len(page), err)
	}
	chart := filepath.Join(t.TempDir(), "rate.svg")
	code, _, stderr = invoke("plot", "rate", dir, "-o", chart)
	wantCode(t, code, command.ExitGood, stderr)
	if svg, err := os.ReadFile(chart); err != nil || !bytes.Contains(svg, []byte("loopback")) {
		t.Errorf("%d bytes of chart, %v", len(svg), err)
	}
}

func TestSearchSaysHowItWentByItsExitCode(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"loopback:", "--slo", "p50<1s"}, command.ExitGood, " kept at --max\n"},
		{[]string{"loopback:?delay=20ms", "--slo", "p50<10ms"}, command.ExitMissed, " not kept\n"},
		{[]string{"loopback:?delay=20ms", "--slo", "p50<10ms,p50<1s", "--format", "md"}, command.ExitMissed, "| loopback | p50&lt;10ms | - | - | 500 | "},
		{[]string{"loopback:", "--slo", "p99<50ms", "--at-most", "3s"}, command.ExitInvalid, " not decided\n"},
		{[]string{"loopback:?drop=0.1", "--slo", "loss<1%", "--timeout", "500ms", "--format", "csv"}, command.ExitMissed, ",loss<1%,not kept,,,,,,,500,10 %,"},
		{[]string{"nats://127.0.0.1:1", "loopback:", "--slo", "p50<1s"}, command.ExitError, " kept at --max\n"}, // the other is searched
	} {
		t.Run(strings.Join(tt.args, " "), func(t *testing.T) {
			t.Parallel()
			good := func(stdout, _ string) bool { return strings.Contains(stdout, tt.want) }
			code, stdout, stderr, _ := searchUntil(t, tt.code, good, append(tt.args, "-q", "--report=off")...)
			wantCode(t, code, tt.code, stderr)
			wantTexts(t, stdout, tt.want)
			if tt.code != command.ExitError && stderr != "" {
				t.Errorf("-q says %q", stderr)
			}
		})
	}
}

// What cannot be decided in the time is said before the first probe.
func TestSearchSaysWhatTakesTooLong(t *testing.T) {
	t.Parallel()
	good := func(string, string) bool { return true }
	code, _, stderr, _ := searchUntil(t, command.ExitInvalid, good, "loopback:", "--slo", "p99.9<5ms", "--slo", "p50<5ms", "--from", "2k", "--at-most", "6s", "--report=off")
	wantCode(t, code, command.ExitInvalid, stderr, "\n  17m20.6s for p99.9<5ms, which is more than --at-most: it will not be decided\n  2.1s for p50<5ms\n[1] ")
}

// The windows of a plan without a duration are longer than --confirm is otherwise.
func TestSearchPlanWithoutDuration(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "plan.yaml")
	put(t, file, "targets: ['loopback:']\nslo: p50<1s\n")
	for _, tt := range []struct {
		args []string
		code int
	}{
		{nil, command.ExitGood},
		{[]string{"--duration", "1m"}, command.ExitGood},
		{[]string{"--confirm", "20s"}, command.ExitUsage},
	} {
		code, _, stderr := invoke(append([]string{"search", file, "--dry-run"}, tt.args...)...)
		wantCode(t, code, tt.code, stderr)
	}
}

// What is shown meanwhile is what run shows.
func TestSearchProgress(t *testing.T) {
	args, _ := searchArgs(t, "loopback:", "--slo", "p50<1s", "--max", "500", "--duration", "1s", "--confirm", "1s", "--report=off")
	const kept = "\x1b[J[1] loopback, 1 KiB at 500/s for 1s: p50<1s kept"
	var code int
	var shown strings.Builder
	unspoiled(func() bool { // the first probe is invalid if the machine stands still
		shown.Reset()
		screen := live.NewScreen(&shown, func() (int, int) { return 100, 30 })
		code = Main(args, command.Streams{Out: io.Discard, Err: screen, Screen: screen, Brokers: brokers.All()})
		return code == command.ExitGood && strings.Contains(shown.String(), kept)
	})
	wantCode(t, code, command.ExitGood, shown.String(), "  the next rate depends on this one", kept)
	_, _, objects := invoke(append(args, "--progress=json")...)
	wantTexts(t, objects, `{"schema":"`+live.Schema+`"`, `"number":1,"cells":0,`)
}

// TestSearchRealBrokers searches on every real broker, up to a rate that all keep.
func TestSearchRealBrokers(t *testing.T) {
	t.Parallel()
	for name, url := range realURLs(t, "") {
		t.Run(name, func(t *testing.T) {
			good := func(stdout, _ string) bool { return atMax(stdout) }
			code, stdout, stderr, _ := searchUntil(t, command.ExitGood, good, url, "--slo", "p50<500ms,loss<1%", "--from", "100", "--max", "200", "--duration", "500ms", "--confirm", "500ms", "--format", "json", "--report=off")
			document := decode[struct{ Search search.Document }](t, stdout)
			if len(document.Search.Searches) != 1 {
				t.Fatal(stdout)
			}
			for _, row := range document.Search.Searches[0].Rows {
				kept := row.Status == search.AtMax && row.Rate == 200 && row.At != nil
				if !kept && !strings.Contains(row.Reason, "the machine was busy") {
					wantCode(t, code, command.ExitGood, stderr)
					t.Errorf("%+v, want 200/s kept, unless the machine was busy", row)
				}
			}
		})
	}
}

// Search steps by whole messages per second.
func TestSearchRefusesRatesThatAreNotWhole(t *testing.T) {
	for flag, text := range map[string]string{"--from": "0.5/s", "--max": "90/h"} {
		code, _, stderr := invoke("search", "loopback:", "--slo", "p99<5ms", flag, text)
		if code != command.ExitUsage || !strings.Contains(stderr, fmt.Sprintf("%s %q: ", flag, text)) {
			t.Errorf("%s %s: exit code %d, %s", flag, text, code, stderr)
		}
	}
}

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A mistake is told in one line on stderr, and nothing is printed or written.
func TestMistakes(t *testing.T) {
	empty, run, log := t.TempDir(), written(t, 1, "1", "kafka"), goldenFiles+"golden.hlog"
	out, bad, there := filepath.Join(empty, "x.svg"), filepath.Join(t.TempDir(), "bad.yaml"), filepath.Join(t.TempDir(), "there.hgrm")
	for path, text := range map[string]string{bad: "duration: 1s\nmatrix: {rtae: 5}\n", there: ""} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		args string
		code int
		says string
	}{
		{"rnu", exitUsage, `unknown command "rnu"`},
		{"run --rtae 5", exitUsage, "unknown flag: --rtae"},
		{"run --rate fast loopback:", exitUsage, "fast"},
		{"run --size 12B loopback:", exitUsage, "16 B"},
		{"run --arrivals burst:1 loopback:", exitUsage, "2 to 1000000 messages"},
		{"run --format tabel", exitUsage, `did you mean "table"?`},
		{"run loopback:?dealy=1ms", exitUsage, `did you mean "delay"?`},
		{"run natz://h:1", exitUsage, `did you mean "nats"?`},
		{"run 127.0.0.1:4222", exitUsage, "target 127.0.0.1:4222 has no scheme: did you mean nats://127.0.0.1:4222?"},
		{"run localhost:1884", exitUsage, "target localhost:1884 has no scheme: want SCHEME://localhost:1884 with one of nats, tls, "},
		{"run loopback: --rate 1,000", exitUsage, "--rate: 1,000 is two rates, 1 and 000: write 1000 or 1k"},
		{"run loopback: -r 500,0", exitUsage, "--rate: rate 0/s is not between"},
		{"search loopback: --slo p99<5ms --from 1,000", exitUsage, `--from: "1,000": a number has no commas: write 1000`},
		{"run --target a=loopback: a=loopback:?delay=1ms", exitUsage, "two targets are named a"},
		{"ab --target loopback:", exitUsage, "unknown flag: --target"},
		{"run loopback: -o json", exitUsage, "-o is a file; did you mean --format json?"},
		{"run -f " + bad, exitUsage, bad + `:2:10: unknown key "rtae" (did you mean "rate"?)`},
		{"config validate " + bad, exitUsage, bad + ":2:10"},
		{"brokers kafak", exitUsage, `did you mean "kafka"?`},
		{"version now", exitUsage, "unknown command"},
		{"run loopback: --progress jsn", exitUsage, `--progress "jsn": want auto, json or off (did you mean "json"?)`},
		{"run loopback: --prometheus :9464", exitUsage, `--prometheus: address ":9464" has no host: want 127.0.0.1:9464`},
		{"run loopback: --progress json -q", exitUsage, "--quiet and --progress json: want one of them"},
		{"run loopback: --slo p50<5", exitUsage, `--slo: SLO "p50<5": limit "5": want a time with its unit`},
		{"search --slo p99<5ms", exitUsage, "want a target"},
		{"search loopback:", exitUsage, "no SLO to search for"},
		{"search loopback: --slo p99>5ms", exitUsage, "a higher rate can make it hold"},
		{"search loopback: --slo p99<5ms --from 2k --max 1k", exitUsage, "the lowest first"},
		{"search loopback: --slo p99<5ms --precision 5", exitUsage, "want a percentage, such as 5%"},
		{"search loopback: --slo p99<5ms --max fast", exitUsage, "--max: "},
		{"search loopback: --slo p99.999<5ms", exitUsage, "begin at "},
		{"search loopback: --slo p99<5s", exitUsage, "--timeout 5s is not above the limit of p99<5s"},
		{"search loopback: --slo p99<5ms --format tabel", exitUsage, `did you mean "table"?`},
		{"search loopback: --slo p99<5ms --report no", exitUsage, "want on or off"},
		{"search loopback: --slo p99<5ms --progress json -q", exitUsage, "want one of them"},
		{"doctor --format html", exitUsage, "want table, json, csv or md"},
		{"doctor --connections 0", exitUsage, "connections"},
		{"verify --pid 1", exitUsage, "want both"},
		{"verify --target nats://h", exitUsage, "want both"},
		{"verify --rate 1000000 --duration 1h", exitUsage, "want at most 2000000 messages in all"},
		{"verify --duration 0.5s", exitUsage, "want at least 1s"},
		{"verify --target nats://h --pid 1 --duration 3s", exitUsage, "at least three times the pause, 6s"},
		{"verify --target natz://h --pid 1", exitUsage, `did you mean "nats"?`},
		{"verify --format html", exitUsage, "want table, json, csv or md"},
		{"plot percentiles -o " + out, exitUsage, "brokerbench-results holds no run: want the folder of a run"},
		{"plot percentiles " + run, exitUsage, "--output (-o) is missing: want a file whose name ends with .svg or .png, or - for standard output"},
		{"plot percentiles " + run + " -o x.pdf", exitUsage, "--output x.pdf: want a file whose name ends with .svg or .png"},
		{"plot percentiles " + run + " --width 3 -o " + out, exitUsage, "a width of 3 pixels"},
		{"plot percentiles " + run + " --tag lga -o " + out, exitUsage, `no such tag as "lga": it has`},
		{"plot percentiles " + log + " -o " + out, exitUsage, "choose one with --tag"},
		{"plot timeline " + goldenFiles + "stall.hgrm -o " + out, exitUsage, "stall.hgrm: cannot be drawn: a percentile table has no times"},
		{"plot rate " + goldenFiles + "stall.hgrm -o " + out, exitUsage, "stall.hgrm: cannot be drawn: a file does not say at which rate"},
		{"plot rate " + run + "/cells/kafka-100-1024B-c1-fopen-r1 -o " + out, exitUsage, "no two of 1 cells differ only in their rate"},
		{"plot percentiles nothing -o " + out, exitError, "nothing: no such file or directory (want"},
		{"plot percentiles plot_test.go -o " + out, exitError, "plot_test.go: neither an interval log nor a percentile table"},
		{"plot percentiles " + run + " -o /dev/null/x.svg", exitError, "writing /dev/null/x.svg: not a directory"},
		{"plot percentile " + run, exitUsage, `did you mean "percentiles"?`},
		{"plot rate " + run + " --tag lag -o " + out, exitUsage, "unknown flag: --tag"},
		{"merge", exitUsage, "want paths: the folder of a run or of a cell, or a .hlog"},
		{"merge " + goldenFiles + "stall.hgrm " + log, exitUsage, "stall.hgrm: cannot be added: percentiles are not histograms"},
		{"merge " + log, exitUsage, "choose one with --tag"},
		{"merge " + log + " " + log + " --tag stall", exitUsage, "cannot be added twice"},
		{"merge " + log + " --tag stall -o x.svg", exitUsage, "--output x.svg: want a file whose name ends with .hgrm or .hlog"},
		{"merge " + log + " --tag stall -o " + there, exitUsage, "the file exists"},
		{"merge nothing", exitError, "nothing: no such file or directory"},
		{"merge " + log + " --tag stall -o /dev/null/x.hlog", exitError, "writing /dev/null/x.hlog: not a directory"},
		{"report", exitUsage, "want the folder of a run"},
		{"report " + run + " --format mdd", exitUsage, `--format "mdd": want html, table, json, csv or md (did you mean "md"?)`},
		{"report " + run + " " + run + " --format md", exitUsage, "want one folder"},
		{"run loopback: --out /dev/null/results --duration 100ms --warmup 0s", exitError, "/dev/null/results"},
		{"run --report maybe", exitUsage, `--report "maybe": want on or off`},
		{"report " + empty, exitError, empty + " is not the folder of a run"},
		{"report " + run + " -o " + filepath.Join(empty, "no", "r.html"), exitError, "r.html: no such file"},
	} {
		code, stdout, stderr := command(strings.Fields(tt.args)...)
		wantCode(t, code, tt.code, stderr, tt.says)
		if !strings.Contains(tt.args, bad) { // of a plan the line is shown, too
			wantOneLine(t, stderr)
		}
		if stdout != "" {
			t.Errorf("%s prints %q", tt.args, stdout)
		}
	}
	if files, err := os.ReadDir(empty); err != nil || len(files) > 0 {
		t.Errorf("%v, %v: a file was written all the same", files, err)
	}
}

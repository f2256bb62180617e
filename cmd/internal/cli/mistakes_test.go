package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/cmd/internal/command"
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
		{"rnu", command.ExitUsage, `unknown command "rnu"`},
		{"run --rtae 5", command.ExitUsage, "unknown flag: --rtae"},
		{"run --rate fast loopback:", command.ExitUsage, "fast"},
		{"run --size 12B loopback:", command.ExitUsage, "16 B"},
		{"run --arrivals burst:1 loopback:", command.ExitUsage, "2 to 1000000 messages"},
		{"run --format tabel", command.ExitUsage, `did you mean "table"?`},
		{"run loopback:?dealy=1ms", command.ExitUsage, `did you mean "delay"?`},
		{"run natz://h:1", command.ExitUsage, `did you mean "nats"?`},
		{"run 127.0.0.1:4222", command.ExitUsage, "target 127.0.0.1:4222 has no scheme: did you mean nats://127.0.0.1:4222?"},
		{"run localhost:1884", command.ExitUsage, "target localhost:1884 has no scheme: want SCHEME://localhost:1884 with one of nats, tls, "},
		{"run loopback: --rate 1,000", command.ExitUsage, "--rate: 1,000 is two rates, 1 and 000: write 1000 or 1k"},
		{"run loopback: -r 500,0", command.ExitUsage, "--rate: rate 0/s is not between"},
		{"search loopback: --slo p99<5ms --from 1,000", command.ExitUsage, `--from: "1,000": a number has no commas: write 1000`},
		{"run --target a=loopback: a=loopback:?delay=1ms", command.ExitUsage, "two targets are named a"},
		{"ab --target loopback:", command.ExitUsage, "unknown flag: --target"},
		{"run loopback: -o json", command.ExitUsage, "-o is a file; did you mean --format json?"},
		{"run -f " + bad, command.ExitUsage, bad + `:2:10: unknown key "rtae" (did you mean "rate"?)`},
		{"config validate " + bad, command.ExitUsage, bad + ":2:10"},
		{"brokers kafak", command.ExitUsage, `did you mean "kafka"?`},
		{"version now", command.ExitUsage, "unknown command"},
		{"run loopback: --progress jsn", command.ExitUsage, `--progress "jsn": want auto, json or off (did you mean "json"?)`},
		{"run loopback: --prometheus :9464", command.ExitUsage, `--prometheus: address ":9464" has no host: want 127.0.0.1:9464`},
		{"run loopback: --progress json -q", command.ExitUsage, "--quiet and --progress json: want one of them"},
		{"run loopback: --slo p50<5", command.ExitUsage, `--slo: SLO "p50<5": limit "5": want a time with its unit`},
		{"search --slo p99<5ms", command.ExitUsage, "want a target"},
		{"search loopback:", command.ExitUsage, "no SLO to search for"},
		{"search loopback: --slo p99>5ms", command.ExitUsage, "a higher rate can make it hold"},
		{"search loopback: --slo p99<5ms --from 2k --max 1k", command.ExitUsage, "the lowest first"},
		{"search loopback: --slo p99<5ms --precision 5", command.ExitUsage, "want a percentage, such as 5%"},
		{"search loopback: --slo p99<5ms --max fast", command.ExitUsage, "--max: "},
		{"search loopback: --slo p99.999<5ms", command.ExitUsage, "begin at "},
		{"search loopback: --slo p99<5s", command.ExitUsage, "--timeout 5s is not above the limit of p99<5s"},
		{"search loopback: --slo p99<5ms --format tabel", command.ExitUsage, `did you mean "table"?`},
		{"search loopback: --slo p99<5ms --report no", command.ExitUsage, "want on or off"},
		{"search loopback: --slo p99<5ms --progress json -q", command.ExitUsage, "want one of them"},
		{"doctor --format html", command.ExitUsage, "want table, json, csv or md"},
		{"doctor --connections 0", command.ExitUsage, "connections"},
		{"verify --pid 1", command.ExitUsage, "want both"},
		{"verify --target nats://h", command.ExitUsage, "want both"},
		{"verify --rate 1000000 --duration 1h", command.ExitUsage, "want at most 2000000 messages in all"},
		{"verify --duration 0.5s", command.ExitUsage, "want at least 1s"},
		{"verify --target nats://h --pid 1 --duration 3s", command.ExitUsage, "at least three times the pause, 6s"},
		{"verify --target natz://h --pid 1", command.ExitUsage, `did you mean "nats"?`},
		{"verify --format html", command.ExitUsage, "want table, json, csv or md"},
		{"plot percentiles -o " + out, command.ExitUsage, "brokerbench-results holds no run: want the folder of a run"},
		{"plot percentiles " + run, command.ExitUsage, "--output (-o) is missing: want a file whose name ends with .svg or .png, or - for standard output"},
		{"plot percentiles " + run + " -o x.pdf", command.ExitUsage, "--output x.pdf: want a file whose name ends with .svg or .png"},
		{"plot percentiles " + run + " --width 3 -o " + out, command.ExitUsage, "a width of 3 pixels"},
		{"plot percentiles " + run + " --tag lga -o " + out, command.ExitUsage, `no such tag as "lga": it has`},
		{"plot percentiles " + log + " -o " + out, command.ExitUsage, "choose one with --tag"},
		{"plot timeline " + goldenFiles + "stall.hgrm -o " + out, command.ExitUsage, "stall.hgrm: cannot be drawn: a percentile table has no times"},
		{"plot rate " + goldenFiles + "stall.hgrm -o " + out, command.ExitUsage, "stall.hgrm: cannot be drawn: a file does not say at which rate"},
		{"plot rate " + run + "/cells/kafka-100-1024B-c1-fopen-r1 -o " + out, command.ExitUsage, "no two of 1 cells differ only in their rate"},
		{"plot percentiles nothing -o " + out, command.ExitError, "nothing: no such file or directory (want"},
		{"plot percentiles plot_test.go -o " + out, command.ExitError, "plot_test.go: neither an interval log nor a percentile table"},
		{"plot percentiles " + run + " -o /dev/null/x.svg", command.ExitError, "writing /dev/null/x.svg: not a directory"},
		{"plot percentile " + run, command.ExitUsage, `did you mean "percentiles"?`},
		{"plot rate " + run + " --tag lag -o " + out, command.ExitUsage, "unknown flag: --tag"},
		{"merge", command.ExitUsage, "want paths: the folder of a run or of a cell, or a .hlog"},
		{"merge " + goldenFiles + "stall.hgrm " + log, command.ExitUsage, "stall.hgrm: cannot be added: percentiles are not histograms"},
		{"merge " + log, command.ExitUsage, "choose one with --tag"},
		{"merge " + log + " " + log + " --tag stall", command.ExitUsage, "cannot be added twice"},
		{"merge " + log + " --tag stall -o x.svg", command.ExitUsage, "--output x.svg: want a file whose name ends with .hgrm or .hlog"},
		{"merge " + log + " --tag stall -o " + there, command.ExitUsage, "the file exists"},
		{"merge nothing", command.ExitError, "nothing: no such file or directory"},
		{"merge " + log + " --tag stall -o /dev/null/x.hlog", command.ExitError, "writing /dev/null/x.hlog: not a directory"},
		{"report", command.ExitUsage, "want the folder of a run"},
		{"report " + run + " --format mdd", command.ExitUsage, `--format "mdd": want html, table, json, csv or md (did you mean "md"?)`},
		{"report " + run + " " + run + " --format md", command.ExitUsage, "want one folder"},
		{"run loopback: --out /dev/null/results --duration 100ms --warmup 0s", command.ExitError, "/dev/null/results"},
		{"run --report maybe", command.ExitUsage, `--report "maybe": want on or off`},
		{"report " + empty, command.ExitError, empty + " is not the folder of a run"},
		{"report " + run + " -o " + filepath.Join(empty, "no", "r.html"), command.ExitError, "r.html: no such file"},
	} {
		code, stdout, stderr := invoke(strings.Fields(tt.args)...)
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

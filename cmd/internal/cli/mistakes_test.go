package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/internal/leaf/golden"
)

// Each mistake has one line on stderr, and nothing is printed or written. testdata/mistakes.txt
// holds the command lines and their errors.
func TestMistakes(t *testing.T) {
	empty, run, log := t.TempDir(), written(t, 1, "1", "kafka"), goldenFiles+"golden.hlog"
	out, bad, there := filepath.Join(empty, "x.svg"), filepath.Join(t.TempDir(), "bad.yaml"), filepath.Join(t.TempDir(), "there.hgrm")
	for path, text := range map[string]string{bad: "duration: 1s\nmatrix: {rtae: 5}\n", there: ""} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	names := strings.NewReplacer(out, "OUT.svg", empty, "EMPTY", run, "RUN", bad, "bad.yaml", there, "there.hgrm")
	var transcript strings.Builder
	try := func(want int, args ...string) {
		code, stdout, stderr := invoke(args...)
		wantCode(t, code, want, stderr)
		if !slices.Contains(args, bad) { // of a plan the line is shown, too
			wantOneLine(t, stderr)
		}
		if stdout != "" {
			t.Errorf("%q prints %q", args, stdout)
		}
		fmt.Fprintf(&transcript, "$ brokerbench %s\n%s", names.Replace(shellLine(args)), names.Replace(stderr))
	}
	for _, args := range []string{
		"rnu",
		"run --rtae 5",
		"run --conections 5",
		"run --xyz 5",
		"compare --fial-on p99>10%",
		"run --rate fast loopback:",
		"run nats://127.0.0.1:1 --slo ack.p99<5ms",
		"search nats://127.0.0.1:1 redis://127.0.0.1:1?stream=read --slo complete.p99<5ms",
		"run --size 12B loopback:",
		"run --arrivals burst:1 loopback:",
		"run --format tabel",
		"run loopback:?dealy=1ms",
		"run natz://h:1",
		"run 127.0.0.1:4222",
		"run localhost:1884",
		"run loopback: --rate 1,000",
		"run loopback: -r 500,0",
		"search loopback: --slo p99<5ms --from 1,000",
		"run --target a=loopback: a=loopback:?delay=1ms",
		"ab --target loopback:",
		"run loopback: -o json",
		"run -f " + bad,
		"config validate " + bad,
		"brokers kafak",
		"version now",
		"run loopback: --progress jsn",
		"run loopback: --prometheus :9464",
		"run loopback: --progress json -q",
		"run loopback: --slo p50<5",
		"search --slo p99<5ms",
		"search loopback:",
		"search loopback: --slo p99>5ms",
		"run loopback: --slo p99>5ms",
		"search loopback: --slo p99<5ms --from 2k --max 1k",
		"search loopback: --slo p99<5ms --precision 5",
		"search loopback: --slo p99<5ms --max fast",
		"search loopback: --slo p99.999<5ms",
		"search loopback: --slo p99<5s",
		"search loopback: --slo user(8).sum.p99<10s",
		"search loopback: --slo p99<5ms --format tabel",
		"search loopback: --slo p99<5ms --report no",
		"search loopback: --slo p99<5ms --progress json -q",
		"doctor --format html",
		"doctor --connections 0",
		"verify --pid 1",
		"verify --target nats://h",
		"verify --rate 1000000 --duration 1h",
		"verify --duration 0.5s",
		"verify --target nats://h --pid 1 --duration 3s",
		"verify --target natz://h --pid 1",
		"verify --format html",
		"plot percentiles -o " + out,
		"plot percentiles " + run,
		"plot percentiles " + run + " -o x.pdf",
		"plot percentiles " + run + " --width 3 -o " + out,
		"plot percentiles " + run + " --tag lga -o " + out,
		"plot percentiles " + log + " -o " + out,
		"plot timeline " + goldenFiles + "stall.hgrm -o " + out,
		"plot rate " + goldenFiles + "stall.hgrm -o " + out,
		"plot rate " + run + "/cells/kafka-100-1024B-c1-fopen-r1 -o " + out,
		"plot percentile " + run,
		"plot rate " + run + " --tag lag -o " + out,
		"merge",
		"merge " + goldenFiles + "stall.hgrm " + log,
		"merge " + log,
		"merge " + log + " " + log + " --tag stall",
		"merge " + log + " --tag stall -o x.svg",
		"merge " + log + " --tag stall -o " + there,
		"report",
		"report " + run + " --format mdd",
		"report " + run + " " + run + " --format md",
		"run --report maybe",
		"run loopback: --echo process",
		"run nats://127.0.0.1:1?stream=file --echo process",
		"run redis://127.0.0.1:1?stream=read --echo process",
		"run kafka://127.0.0.1:1?consumer=share --echo process",
		"run amqp1://127.0.0.1:1 --echo process",
		"run nats://127.0.0.1:1 --echo agent",
		"run nats://127.0.0.1:1 --echo agent --agents local:1",
		"run nats://127.0.0.1:1 --echo agent --agents local:2 --connections 2 --on-loss keep",
		"run nats://127.0.0.1:1 --echo process --size 20B",
		"run nats://127.0.0.1:1 --echo mirror",
		"run local:natz",
		"run local:",
		"run local:nats,nodes=2",
		"run local:nats,node=3",
		"run local:kafka,durability=all",
		"run local:nats,nodes=1,durability=node",
		"run local:nats?strem=file",
		"verify --target local:nats --pid 4711",
		"durability disk",
		"run loopback: --durability process",
		"plan --durability node",
		"run --dry-run --durability node",
		"ab --side loopback:",
		"ab --side loopback: --side loopback: --side loopback:",
		"ab --side loopback: --side loopback: --pairs 1",
		"ab --side loopback: --side loopback: --at-most 1m",
		"ab --side loopback: --side loopback: --until narrow",
		"ab --side loopback: --side loopback: --until 0.01%",
		"ab --side loopback: --side loopback: --until 5",
		"ab --side loopback: --side 'loopback:",
		"ab --side loopback: --side gopher://h",
		"ab --side loopback: --side loopback: -q --progress json",
		"ab --side loopback: --side loopback: --until 5% --at-most 0s",
		"ab --run loopback: --run loopback:",
		"clean nats://h --run 20261122t015809",
		"search loopback: --slo p99<1ms --pause 0",
		"verify --pause 1s",
		"verify --agents local:2",
		"run loopback: --agents k8s --n 3",
		"fault loopback: --kill 1 --agents k8s --n 3",
		"run loopback: --agents k8s",
		"list --all",
		"run loopback: --out x.json",
	} {
		try(command.ExitUsage, strings.Fields(args)...)
	}
	for _, args := range []string{
		"plot percentiles nothing -o " + out,
		"plot percentiles plot_test.go -o " + out,
		"plot percentiles " + run + " -o /dev/null/x.svg",
		"merge nothing",
		"merge " + log + " --tag stall -o /dev/null/x.hlog",
		"run loopback: --out /dev/null/results --duration 100ms --warmup 0s",
		"report " + empty,
		"report " + run + " -o " + filepath.Join(empty, "no", "r.html"),
	} {
		try(command.ExitError, strings.Fields(args)...)
	}
	for _, second := range []string{"", "loopback: --repeat 3", "loopback: --size 64B,128B"} {
		try(command.ExitUsage, "ab", "--side", "loopback:", "--side", second)
	}
	for _, flag := range []string{"--at", "--for", "--delay", "--loss"} {
		try(command.ExitUsage, "fault", "local:nats", "--slow", "all", flag, "")
	}
	timeless := regexp.MustCompile(`"time":"[^"]*"`).ReplaceAllString(transcript.String(), `"time":"T"`)
	golden.Check(t, "mistakes.txt", timeless)
	if files, err := os.ReadDir(empty); err != nil || len(files) > 0 {
		t.Errorf("%v, %v: a file was written", files, err)
	}
}

// shellLine returns a command line, with quotes where an argument has blanks.
func shellLine(args []string) string {
	var quoted []string
	for _, arg := range args {
		if arg == "" || strings.Contains(arg, " ") {
			arg = strconv.Quote(arg)
		}
		quoted = append(quoted, arg)
	}
	return strings.Join(quoted, " ")
}

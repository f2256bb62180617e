package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/internal/config"
	"github.com/brokerbench/brokerbench/internal/leaf/golden"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/results"
)

func TestHelp(t *testing.T) {
	for _, name := range []string{"", "run", "run --all", "agent", "resume", "search", "ab", "report", "why", "compare", "history", "list", "reproduce", "verify", "doctor", "doctor --all", "plan", "config", "config validate", "config schema", "config init", "config import", "config import omb", "brokers", "durability", "clean", "canary", "plot", "plot percentiles", "plot timeline", "plot rate", "plot stack", "plot nodes", "merge", "version"} {
		code, stdout, stderr := invoke(append(strings.Fields(name), "--help")...)
		wantCode(t, code, command.ExitGood, stderr)
		golden.Check(t, "help-"+strings.ReplaceAll("brokerbench "+name, " ", "-")+".txt", stdout)
		wantTexts(t, stdout, "Examples:")
	}
}

// Help shows the flags that most runs need; --all shows the others.
func TestHelpOfRunIsShort(t *testing.T) {
	flag := regexp.MustCompile(`(?m)^ +(-., )?--[a-z]`)
	_, short, _ := invoke("run", "--help")
	_, long, _ := invoke("run", "--help", "--all")
	if few, all := len(flag.FindAllString(short, -1)), len(flag.FindAllString(long, -1)); few > 20 || all < 40 {
		t.Errorf("%d flags, want at most 20; %d with --all", few, all)
	}
	wantTexts(t, long, "--spin", "--seed")
	code, _, stderr := invoke("run", "--all")
	wantCode(t, code, command.ExitUsage, stderr)
}

func TestBrokersListsEveryOption(t *testing.T) {
	code, stdout, stderr := invoke("brokers")
	wantCode(t, code, command.ExitGood, stderr)
	for _, name := range []string{"nats", "redis", "rabbitmq", "rabbitmq-stream", "kafka", "mqtt", "grpc", "loopback"} {
		wantTexts(t, stdout, name)
		code, described, stderr := invoke("brokers", name)
		wantCode(t, code, command.ExitGood, stderr)
		golden.Check(t, "brokers-"+name+".txt", described)
	}
}

// The plans of the repository are good, with the options of their targets.
func TestPlansOfTheRepositoryAreGood(t *testing.T) {
	files, err := filepath.Glob("../../../deploy/plans/*.yaml")
	if err != nil || len(files) < 9 {
		t.Fatalf("%v, %v", files, err)
	}
	code, stdout, stderr := invoke(append([]string{"config", "validate"}, files...)...)
	wantCode(t, code, command.ExitGood, stderr)
	if got := strings.Count(stdout, ": good: "); got != len(files) {
		t.Errorf("%d of %d plans are good:\n%s", got, len(files), stdout)
	}
}

// The table of abilities fits a terminal, and is that of the documents.
func TestBrokersListsAbilities(t *testing.T) {
	code, stdout, stderr := invoke("brokers")
	wantCode(t, code, command.ExitGood, stderr)
	_, abilities, ok := strings.Cut(stdout, "\n\n")
	table, _, _ := strings.Cut(abilities, "\nAll carry")
	for line := range strings.Lines(table) {
		if len(line) > 100 {
			t.Errorf("%d columns: %s", len(line), line)
		}
	}
	code, markdown, stderr := invoke("brokers", "--format", "md")
	wantCode(t, code, command.ExitGood, stderr)
	_, abilities, found := strings.Cut(markdown, "\n\n")
	documents, err := os.ReadFile("../../../docs/systems.md")
	if err != nil || !ok || !found || !strings.Contains(string(documents), abilities) {
		t.Errorf("docs/systems.md lacks this, of brokerbench brokers --format md:\n%s%v", abilities, err)
	}
}

// The words of plans and flags are the levels that requesters know.
func TestTheKeyDurabilityHasAllLevels(t *testing.T) {
	for _, k := range config.Keys() {
		var levels []string
		for _, d := range requester.Durabilities() {
			levels = append(levels, string(d))
		}
		if k.Name == "durability" && !slices.Equal(k.Words(), levels) {
			t.Errorf("words %v, levels %v", k.Words(), levels)
		}
	}
}

// Each level names each broker that has it, and what it needs.
func TestDurabilityShowsTheLevels(t *testing.T) {
	code, stdout, stderr := invoke("durability")
	wantCode(t, code, command.ExitGood, stderr)
	golden.Check(t, "durability.txt", stdout)
	code, stdout, stderr = invoke("durability", "node", "--format", "csv")
	wantCode(t, code, command.ExitGood, stderr)
	wantTexts(t, stdout, "level,broker,options,server,asked,note\n", "node,nats,stream=file&replicas=3,three servers in a cluster,")
}

// What a level sets is there before the options that need it are checked.
func TestDurabilityGoesWithOptionsThatNeedIt(t *testing.T) {
	for level, target := range map[string]string{
		"process": "nats://h?consumer=pull", "machine": "redis://h?wait-fsync=true",
		"accepted": "amqp://h?exchange=topic", "node": "kafka://h?min-insync-replicas=2",
	} {
		code, _, stderr := invoke("plan", target, "--durability", level)
		wantCode(t, code, command.ExitGood, stderr)
	}
}

func TestRunOnLoopback(t *testing.T) {
	t.Parallel()
	code, run, cells, stderr := validJSON(t, "loopback:?delay=1ms", "--rate", "200,400", "--size", "64B", "--duration", "500ms", "--warmup", "100ms")
	wantCode(t, code, command.ExitGood, stderr)
	if len(cells) != 2 || cells[0].Ledger.Done != 100 || cells[1].Ledger.Done != 200 || run.Plan.Settings.Duration != 500*time.Millisecond {
		t.Errorf("%+v", cells)
	}
	if run.Command[0] != "brokerbench" || run.Environment.Go == "" || cells[0].Broker.Product == "" {
		t.Errorf("not described: %+v", run)
	}
}

func TestArrivalsAreAnAxis(t *testing.T) {
	t.Parallel()
	code, _, cells, stderr := validJSON(t, "loopback:", "--rate", "200", "--duration", "500ms", "--warmup", "100ms", "--arrivals", "constant,poisson,burst:10")
	wantCode(t, code, command.ExitGood, stderr)
	var got []string
	for _, c := range cells {
		got = append(got, c.ID)
	}
	want := "loopback-200-1024B-c1-fopen-r1 loopback-200-1024B-c1-fopen-poisson-r1 loopback-200-1024B-c1-fopen-burst10-r1"
	if strings.Join(got, " ") != want || cells[2].Ledger.Done != 100 {
		t.Errorf("got %v, want %s; %+v", got, want, cells)
	}
}

func TestALossyTargetExitsWith4(t *testing.T) {
	t.Parallel()
	code, _, cells, stderr := runJSON(t, "loopback:?drop=0.1", "--rate", "100", "--duration", "500ms", "--warmup", "0s", "--timeout", "2s")
	wantCode(t, code, command.ExitInvalid, stderr)
	if len(cells) != 1 || cells[0].Verdict != results.Invalid || cells[0].Ledger.Lost != 5 {
		t.Errorf("%+v", cells)
	}
}

func TestSLOs(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"loopback:?delay=5ms", "--slo", "p50<1s,loss<1%", "--duration", "5s"}, command.ExitGood, ""},
		{[]string{"loopback:?delay=5ms", "--slo", "p50<5ms", "--duration", "5s"}, command.ExitMissed, "SLO p50<5ms missed: "},
		{[]string{"loopback:?delay=5ms", "--slo", "p99.9<1m", "--duration", "3s"}, command.ExitInvalid, "SLO p99.9<1m0s inconclusive: "},
		{[]string{"loopback:?drop=0.1", "--slo", "loss<20%", "--duration", "2s", "--timeout", "2s"}, command.ExitInvalid, "SLO loss<20% inconclusive: 10 %; the cell is invalid"},
	} {
		t.Run(strings.Join(tt.args, " "), func(t *testing.T) {
			t.Parallel()
			var code int
			var cells []*results.Cell
			var stderr string
			unspoiled(func() bool { // an invalid cell decides nothing, and one that ends late has other counts
				code, _, cells, stderr = runJSON(t, append(tt.args, "--rate", "200", "--warmup", "0s")...)
				return code != command.ExitInvalid || code == tt.code && strings.Contains(stderr, tt.says)
			})
			wantCode(t, code, tt.code, stderr, tt.says)
			if len(cells) != 1 || len(cells[0].SLOs) == 0 {
				t.Errorf("%d cells", len(cells))
			}
		})
	}
}

func TestTheOtherTargetsAreStillMeasured(t *testing.T) {
	t.Parallel()
	code, run, cells, stderr := runJSON(t, "nats://user:geheim@127.0.0.1:1", "loopback:", "--rate", "100", "--duration", "200ms", "--warmup", "0s")
	wantCode(t, code, command.ExitError, stderr, "nats://user:xxxxx@127.0.0.1:1: ", "refused", "start the broker")
	if len(cells) != 1 || cells[0].Plan.Target.Name != "loopback" || run.Cells[0].Error == "" {
		t.Errorf("%d cells, entries %+v", len(cells), run.Cells)
	}
	if strings.Contains(stderr, "geheim") || strings.Count(stderr, "brokerbench: ") != 1 {
		t.Errorf("not one line without secrets: %s", stderr)
	}
}

// A dead second target is said before the floor and the cell of the first, once for all
// of its cells.
func TestADeadTargetIsSaidAtOnce(t *testing.T) {
	t.Parallel()
	code, stdout, stderr := invoke("run", "loopback:", "nats://user:geheim@127.0.0.1:1", "--rate", "100,200", "--duration", "1s", "--warmup", "0s", "--out", t.TempDir())
	wantCode(t, code, command.ExitError, stderr, "brokerbench: nats://user:xxxxx@127.0.0.1:1: ")
	first, _, _ := strings.Cut(stderr, "\n")
	if !strings.HasPrefix(first, "nats cannot be reached, and is not measured: nats://user:xxxxx@127.0.0.1:1: ") || !strings.Contains(first, "nothing listens there") {
		t.Errorf("the first line is %q", first)
	}
	if strings.Count(stderr, "nothing listens there") != 2 || strings.Contains(stderr+stdout, "geheim") {
		t.Errorf("not once at the beginning and once at the end: %s", stderr)
	}
}

func TestInterruptKeepsWhatWasMeasured(t *testing.T) {
	out := t.TempDir()
	end := signalASecondLater(t, out, syscall.SIGINT)
	code, run, cells, stderr := runJSON(t, "loopback:", "--rate", "100,200", "--duration", "1m", "--warmup", "0s", "--out", out)
	end()
	wantCode(t, code, command.ExitInterrupted, stderr, "stopping: late replies are awaited")
	if !run.Interrupted || len(cells) != 1 || !cells[0].Interrupted || cells[0].Ledger.Missing() != 0 || cells[0].Ledger.Due < 50 {
		t.Errorf("run %v, cells %+v", run.Interrupted, cells)
	}
	if run.Cells[1].Verdict != "" {
		t.Errorf("the second cell was measured, too: %+v", run.Cells[1])
	}
}

// The quick start: a real NATS server in a child process, and none left behind.
func TestQuickstart(t *testing.T) {
	t.Parallel()
	code, _, cells, stderr := validJSON(t, "--duration", "1s", "--warmup", "200ms")
	wantCode(t, code, command.ExitGood, stderr)
	if len(cells) != 1 || cells[0].Broker.Product != "NATS" || cells[0].Ledger.Done != 1000 {
		t.Fatalf("%+v", cells)
	}
	if _, shared := cells[0].Problem(results.CodeSharedMachine); !shared {
		t.Errorf("problems %+v do not say that client and broker share the machine", cells[0].Problems)
	}
	code, _, _ = invoke("run", cells[0].Plan.Target.URL, "--quiet", "--out", t.TempDir(), "--duration", "1s")
	if code != command.ExitError {
		t.Errorf("exit code %d: the server still answers", code)
	}
}

func TestPlanPrintsWhatWouldBeMeasured(t *testing.T) {
	code, stdout, stderr := invoke("plan", "-f", "../../../deploy/plans/classic.yaml")
	wantCode(t, code, command.ExitGood, stderr)
	golden.Check(t, "plan-classic.txt", stdout)
	code, stdout, stderr = invoke("run", "--dry-run")
	wantCode(t, code, command.ExitGood, stderr)
	golden.Check(t, "dry-run.txt", stdout)
	for _, of := range []string{"plan", "run --dry-run"} {
		for level, want := range map[string]string{
			"accepted": "a NATS server of brokerbench's own, with streams in files\n",
			"machine":  "a NATS server of brokerbench's own, with streams in files, and fsync before each acknowledgement\n",
		} {
			code, stdout, stderr = invoke(append(strings.Fields(of), "--durability", level)...)
			wantCode(t, code, command.ExitGood, stderr)
			wantTexts(t, stdout, want)
		}
	}
}

func TestConfigInit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "plan.yaml")
	code, _, stderr := invoke("config", "init", path)
	wantCode(t, code, command.ExitGood, stderr)
	code, stdout, stderr := invoke("config", "validate", path)
	wantCode(t, code, command.ExitGood, stderr)
	wantTexts(t, stdout, "good")
	code, _, stderr = invoke("config", "init", path)
	wantCode(t, code, command.ExitUsage, stderr, "plan.yaml: the file exists")
}

func TestVersionOfTheRoot(t *testing.T) {
	code, stdout, stderr := invoke("--version")
	wantCode(t, code, command.ExitGood, stderr)
	_, version, _ := invoke("version")
	if !strings.HasPrefix(stdout, "brokerbench ") || !strings.HasPrefix(version, stdout) {
		t.Errorf("--version prints %q, version %q", stdout, version)
	}
}

// Targets have names of their own, by flag and by argument, in any script.
func TestNamedTargets(t *testing.T) {
	t.Parallel()
	code, run, cells, stderr := runJSON(t, "--target", "größe=loopback:?delay=1ms", "--target", "loopback:", "東京=loopback:?delay=2ms",
		"-r", "100", "-s", "64B", "-c", "2", "-d", "300ms", "--warmup", "0s", "--slo", "rate > 10 %, loss ≤ 50 %", "--name", "メッセージ")
	if code != command.ExitGood && code != command.ExitInvalid { // which so short a cell is on a busy machine
		t.Errorf("exit code %d: %s", code, stderr)
	}
	var names, ids []string
	for _, c := range cells {
		names, ids = append(names, c.Plan.Target.Name), append(ids, c.ID)
	}
	if strings.Join(names, " ") != "größe loopback 東京" || run.Name != "メッセージ" {
		t.Errorf("targets %q of %q", names, run.Name)
	}
	if s := cells[0].Plan.Shape; s.Rate != 100 || s.Size != 64 || s.Connections != 2 || len(cells[0].SLOs) != 2 {
		t.Errorf("%v, %v", s, cells[0].SLOs)
	}
	if ids[1] != "loopback-100-64B-c2-fopen-r1" || ids[0] == ids[2] {
		t.Errorf("cells %q", ids)
	}
}

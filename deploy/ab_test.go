package deploy_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// byTurns runs ci/ab with a stand-in for brokerbench. It ends with codes[command], or
// codes[command+" "+name] of the turns called name, and its summaries have a number of lines.
// The gates codes["failed "+name] failed.
func byTurns(t *testing.T, codes map[string]string, lines string, args ...string) (code int, out, said string) {
	t.Helper()
	dir := t.TempDir()
	script := `#!/bin/bash
echo "$*" >>"` + dir + `/calls"
echo "$AB_URL" >"` + dir + `/url"
command=$1 a=$2 name=
while (($#)); do
  case $1 in --name) name=$2 ;; --out) out=$2 ;; -o) file=$2 ;; esac
  shift
done
if [[ $command = ab ]]; then mkdir "$out/2026-$name-a" "$out/2026-$name-b"; else name=${a##*/2026-} && name=${name%-a}; fi
case "$file $name" in
`
	for _, name := range []string{"builds", "noise"} {
		script += "' " + name + "') printf '" + gatesJSON(codes["failed "+name]) + "' ;;\n"
	}
	script += `*) seq ` + lines + ` >"$file" ;;
esac
case "$command $name" in
`
	for at, code := range codes {
		script += "'" + at + "') exit " + code + " ;;\n"
	}
	out = filepath.Join(dir, "out")
	stand := filepath.Join(dir, "brokerbench")
	if err := os.WriteFile(stand, []byte(script+"esac\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if len(args) == 0 {
		args = []string{"nats", "/bin/true", "/bin/true"}
	}
	cmd := exec.Command("ci/ab", append(args[:3:3], append([]string{out}, args[3:]...)...)...)
	cmd.Env = append(os.Environ(), "BROKERBENCH="+stand, "GATES=p99>5%", "PAIRS=2", "NOISE_PAIRS=3")
	text, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Skipf("NOT CHECKED: ci/ab does not start here: %v", err)
	}
	return cmd.ProcessState.ExitCode(), out, string(text)
}

// gatesJSON is a part of what compare prints, of three gates of which some failed.
func gatesJSON(failed string) (text string) {
	for _, gate := range []string{"p50>20%", "p99>5%", "loss>0.1%"} {
		result := "passed"
		if slices.Contains(strings.Fields(failed), gate) {
			result = "failed"
		}
		gate = strings.NewReplacer(">", `\\u003e`, "%", "%%").Replace(gate)
		text += `  "condition": "` + gate + `",\n  "gates": [\n    {\n      "result": "` + result + `",\n`
	}
	return text
}

func TestABFailsOnlyOnAProvenRegression(t *testing.T) {
	for _, c := range []struct {
		what  string
		codes map[string]string
		want  int
		says  string
	}{
		{"all is well", nil, 0, "every gate passed"},
		{"a gate failed", map[string]string{"compare builds": "5"}, 5, "A REGRESSION"},
		{"and the noise is not decided", map[string]string{"compare builds": "5", "compare noise": "4"}, 5, "A REGRESSION"},
		{"the base fails, too", map[string]string{"compare builds": "5", "compare noise": "5", "failed builds": "p99>5%", "failed noise": "p99>5%"}, 0, "not decided"},
		{"the base fails another gate", map[string]string{"compare builds": "5", "compare noise": "5", "failed builds": "p50>20%", "failed noise": "p99>5%"}, 5, "A REGRESSION"},
		{"the base fails one of two gates", map[string]string{"compare builds": "5", "compare noise": "5", "failed builds": "p50>20% p99>5%", "failed noise": "p99>5%"}, 5, "A REGRESSION"},
		{"the base fails both gates", map[string]string{"compare builds": "5", "compare noise": "5", "failed builds": "p50>20%", "failed noise": "p50>20% p99>5%"}, 0, "not decided"},
		{"only the base fails", map[string]string{"compare noise": "5"}, 0, "every gate passed"},
		{"a gate is not decided", map[string]string{"compare builds": "4"}, 0, "not decided"},
		{"a number is unknown", map[string]string{"ab builds": "4"}, 0, "every gate passed"},
		{"the builds are not equal", map[string]string{"compare builds": "1"}, 1, ""},
		{"a gate is mistyped", map[string]string{"compare noise": "2"}, 2, ""},
		{"the base does not start", map[string]string{"ab noise": "1"}, 1, ""},
		{"the head is interrupted", map[string]string{"ab builds": "130"}, 1, ""},
		{"an argument is mistyped", map[string]string{"ab noise": "2"}, 2, ""},
	} {
		code, out, said := byTurns(t, c.codes, "3")
		text, err := os.ReadFile(filepath.Join(out, "summary.md"))
		if code != c.want || (err == nil) != (c.says != "") || !strings.Contains(string(text), c.says) {
			t.Errorf("%s: exit code %d, want %d; %v\n%s%s", c.what, code, c.want, err, text, said)
		}
	}
}

func TestABMeasuresTheNoise(t *testing.T) {
	_, out, said := byTurns(t, nil, "3", "nats", "/bin/true", "/bin/true", "--rate", "500")
	text, err := os.ReadFile(filepath.Join(filepath.Dir(out), "calls"))
	const want = `ab --side -f 'OUT/base.yaml' --side -f 'OUT/base.yaml' --pairs 3 --rate 500 --out OUT --name noise --report off --format github -o OUT/noise.md --force
compare OUT/2026-noise-a OUT/2026-noise-b --fail-on=p99>5% --format github -o OUT/noise-gates.md --force
ab --side -f 'OUT/base.yaml' --side -f 'OUT/head.yaml' --pairs 2 --rate 500 --out OUT --name builds --report off --format github -o OUT/builds.md --force
compare OUT/2026-builds-a OUT/2026-builds-b --fail-on=p99>5% --format github -o OUT/builds-gates.md --force
`
	if got := strings.ReplaceAll(string(text), out, "OUT"); err != nil || got != want {
		t.Errorf("%v\n%swant:\n%s%s", err, got, want, said)
	}
}

func TestABSummaryIsShort(t *testing.T) {
	for lines, has := range map[string]string{"3": "\n1\n2\n3\n", "50": "`noise.md`"} {
		_, out, said := byTurns(t, nil, lines)
		text := read(t, filepath.Join(out, "summary.md"))
		if _, noise, _ := strings.Cut(text, lines+"\n"); !strings.Contains(noise, has) || strings.Count(text, "\n") > 60 {
			t.Errorf("%s lines:\n%s%s", lines, text, said)
		}
	}
}

func TestABStartsBuilds(t *testing.T) {
	for _, c := range []struct {
		broker, build, url string
		want               []any
	}{
		{"nats", "/bin/true", "nats://127.0.0.1:4222", []any{"-a", "127.0.0.1", "-p", "4222"}},
		{"valkey://127.0.0.1:7000?stream=group", "/bin/true", "valkey://127.0.0.1:7000?stream=group", []any{"--bind", "127.0.0.1", "--port", "7000", "--save", "", "--appendonly", "no"}},
		{"mqtt", "image:eclipse-mosquitto:2.0.22", "mqtt://127.0.0.1:1883", []any{"docker", "run", "--rm", "--network", "host", "eclipse-mosquitto:2.0.22", "mosquitto", "-p", "1883"}},
		{"rabbitmq", "image:rabbitmq:4.2.0", "amqp://127.0.0.1:5672", []any{"docker", "run", "--rm", "--network", "host", "rabbitmq:4.2.0"}},
		{"kafka", "cd it's && exec bin/start", "kafka://127.0.0.1:9092", []any{"sh", "-c", "cd it's && exec bin/start"}},
	} {
		code, out, said := byTurns(t, nil, "3", c.broker, c.build, "/bin/true -x")
		if code != 0 {
			t.Errorf("%s: exit code %d\n%s", c.broker, code, said)
			continue
		}
		target := documents(t, filepath.Join(out, "base.yaml"))[0]["targets"].([]any)[0].(map[string]any)
		command := target["nodes"].([]any)[0].(map[string]any)["command"].([]any)
		if c.build == "/bin/true" {
			command = command[1:] // where the program is
		}
		url := strings.TrimSpace(read(t, filepath.Join(filepath.Dir(out), "url")))
		if target["url"] != "${AB_URL}" || url != c.url || !reflect.DeepEqual(command, c.want) {
			t.Errorf("%s: %q at %s, want %q", c.broker, command, url, c.want)
		}
	}
}

func TestABMistakes(t *testing.T) {
	for _, args := range [][]string{
		{"nuts", "/bin/true", "/bin/true"},
		{"nats://127.0.0.1", "/bin/true", "/bin/true"},
		{"nats", "/bin/true", "/no/such/program"},
		{"kafka", "/bin/true", "/bin/true"}, // how it is started is not known
	} {
		code, out, said := byTurns(t, nil, "3", args...)
		if _, err := os.Stat(filepath.Join(filepath.Dir(out), "calls")); code != 2 || strings.Count(said, "\n") != 1 || err == nil {
			t.Errorf("%q: exit code %d, %v: %s", args, code, err, said)
		}
	}
}

package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/cmd/internal/command"
)

// completed returns what a shell offers behind the arguments, without descriptions,
// and its directive.
func completed(t *testing.T, args ...string) (offered []string, directive string) {
	t.Helper()
	code, stdout, stderr := invoke(append([]string{"__complete"}, args...)...)
	wantCode(t, code, command.ExitGood, stderr)
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	for _, line := range lines[:len(lines)-1] {
		word, _, _ := strings.Cut(line, "\t")
		offered = append(offered, word)
	}
	return offered, lines[len(lines)-1]
}

func TestCompletion(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("plan.yaml", []byte("targets: [{name: fast, url: nats://h}, redis://h]"), 0o600); err != nil {
		t.Fatal(err)
	}
	run := written(t, 1, "1", "nats", "kafka")
	const noFiles, noSpace = ":4", ":6"
	for _, tt := range []struct {
		args      string // TAB is behind the last
		want      []string
		directive string
	}{
		{"run --format ", []string{"table", "json", "csv", "md"}, noFiles},
		{"report --format ", []string{"html", "table", "json", "csv", "md", "benchstat", "openmetrics", "junit", "github", "bmf", "github-action-benchmark"}, noFiles},
		{"plot rate --format ", []string{"svg", "png"}, noFiles},
		{"run --arrivals ", []string{"constant", "poisson", "burst:"}, noSpace},
		{"plan --arrivals constant,", []string{"constant,constant", "constant,poisson", "constant,burst:"}, noSpace},
		{"run --floor ", []string{"on", "off"}, noFiles},
		{"run --in-flight ", []string{"open"}, noFiles},
		{"run --rate ", nil, noFiles},
		{"run --report ", []string{"on", "off"}, noFiles},
		{"run --progress ", []string{"auto", "json", "off"}, noFiles},
		{"search --slo ", []string{"p50<", "p99<", "p99.9<", "max<", "loss<", "rate>"}, noSpace},
		{"compare --by ", []string{"target", "shape"}, noFiles},
		{"plot percentiles --tag response,", []string{"response,response", "response,service", "response,held", "response,lag", "response,corrected", "response,ack", "response,complete", "response,published", "response,outward", "response,back", "response,echo", "response,warmup", "response,hiccup"}, noFiles},
		{"run -f plan.yaml ", []string{"fast", "redis"}, noFiles},
		{"plan -f plan.yaml --target ", []string{"fast", "redis"}, noFiles},
		{"compare " + run + "@", []string{run + "@nats", run + "@kafka"}, noFiles},
		{"compare " + run + "@nats " + run + "," + run + "@", []string{run + "," + run + "@nats", run + "," + run + "@kafka"}, noFiles},
		{"compare absent@", nil, noFiles},
		{"run --out ", nil, ":16"},
		{"run -f ", []string{"yaml", "yml"}, ":8"},
		{"list ", nil, ":16"},
	} {
		args := strings.Split(tt.args, " ")
		got, directive := completed(t, args...)
		if !slices.Equal(got, tt.want) || directive != tt.directive {
			t.Errorf("%q: %q %s, want %q %s", tt.args, got, directive, tt.want, tt.directive)
		}
	}
	for _, command := range []string{"run", "plan", "doctor", "search", "clean"} {
		offered, directive := completed(t, command, "")
		for _, scheme := range []string{"nats://", "redis://", "amqps://", "kafka://", "loopback:"} {
			if !slices.Contains(offered, scheme) || directive != noSpace {
				t.Errorf("%s: %q %s", command, offered, directive)
			}
		}
	}
}

func TestCompletionOfRuns(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, command := range []string{"report", "compare", "merge", "history", "plot timeline"} {
		if offered, _ := completed(t, append(strings.Fields(command), "")...); len(offered) > 0 {
			t.Errorf("%s: %q", command, offered)
		}
	}
	if err := os.Rename(filepath.Dir(written(t, 1, "1", "nats")), "brokerbench-results"); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"report", "compare", "merge", "history", "plot timeline"} {
		offered, _ := completed(t, append(strings.Fields(command), "")...)
		if want := []string{"brokerbench-results/20261121-060000-x"}; !slices.Equal(offered, want) {
			t.Errorf("%s: %q, want %q", command, offered, want)
		}
	}
}

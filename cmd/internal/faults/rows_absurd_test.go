//go:build linux

package faults

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"
)

// absurd are rows with every flag of every command, and a further argument, each
// with absurd values: the command refuses them, or it does something that Ctrl-C ends.
func absurd() []row {
	return []row{
		absurdly("run", "loopback:?delay=1ms", "--rate", "300", "--warmup", "0s", "--duration", "200ms", "--floor", "off"),
		absurdly("plan", "loopback:"),
		absurdly("search", "loopback:?delay=1ms", "--slo", "p99<1s", "--max", "400", "--window", "200ms"),
		absurdly("compare", "RUN", "RUN"),
		absurdly("report", "RUN"),
		absurdly("merge", "RUN"),
		absurdly("plot", "percentiles", "RUN"),
		absurdly("plot", "timeline", "RUN"),
		absurdly("plot", "rate", "RUN"),
		absurdly("verify"),
		absurdly("list"),
		absurdly("doctor"),
		absurdly("brokers"),
		absurdly("clean", "kafka://127.0.0.1:1"),
		absurdly("config", "init"),
		absurdly("config", "schema"),
		absurdly("config", "validate"),
	}
}

// values are what no flag means. Each is a value for every flag.
var values = []string{"", "0", "-1", "NaN", "1e400", "99999999999999999999", "1000000000", "../../..", "\xff\n", strings.Repeat("x", 4000)}

// absurdly is a row that tries every flag of a command. RUN is the folder of a run.
func absurdly(command ...string) row {
	words := slices.IndexFunc(command, func(word string) bool { return word == "RUN" || strings.Contains(word, ":") })
	if words < 0 {
		words = len(command)
	}
	return row{fault: "absurd flags: " + strings.Join(command[:words], " "), instead: func(a *attempt) {
		began := time.Now()
		a.measureOnce()
		for i, word := range command {
			if word == "RUN" {
				command[i] = a.runs()[0]
			}
		}
		for _, flag := range a.flags(command) {
			for _, value := range values {
				a.absurd(slices.Concat(command, []string{flag + "=" + value}))
			}
		}
		for _, value := range values {
			a.absurd(slices.Concat(command, []string{value}))
		}
		a.took = time.Since(began)
	}}
}

// measureOnce leaves the folder of a run.
func (a *attempt) measureOnce() {
	a.t.Helper()
	out, _, code := a.call(10*time.Second, "run", "loopback:?delay=1ms", "--rate", "300", "--warmup", "0s", "--duration", "1s", "--floor", "off", "--quiet", "--out", a.out())
	if code != 0 {
		a.t.Fatalf("exit code %d: %s", code, out)
	}
}

var aFlag = regexp.MustCompile(`(?m)^ +(?:-., )?(--[a-z-]+)`)

// flags returns the flags of a command, from its help.
func (a *attempt) flags(command []string) (names []string) {
	words := slices.DeleteFunc(slices.Clone(command), func(word string) bool { return strings.ContainsAny(word, "/:-.0123456789<") })
	out, _, _ := a.call(5*time.Second, append(words, "--help")...)
	for _, match := range aFlag.FindAllStringSubmatch(out, -1) {
		names = append(names, match[1])
	}
	if len(names) == 0 {
		a.t.Errorf("%v has no flags: %s", words, out)
	}
	return names
}

// absurd wants a command to be refused in clear words, or to end.
func (a *attempt) absurd(command []string) {
	stdout, stderr, code := a.call(2*time.Second, command...)
	what := strings.Join(command, " ")
	what = fmt.Sprintf("%.200q: ", what)
	switch {
	case code < 0:
		a.fall("%s does not end after Ctrl-C", what)
	case code == 2 && stderr == "", code == 1 && stderr == "" && stdout == "":
		a.fall("%s refused without a word", what)
	case !slices.Contains([]int{0, 1, 2, 3, 4, 5, 6, 130}, code):
		a.fall("%s exit code %d", what, code)
	}
	for _, bad := range []string{"panic:", "goroutine 1 [", "runtime error", "%!"} {
		if strings.Contains(stdout+stderr, bad) {
			a.fall("%s it says %q: %s", what, bad, cut(stdout+stderr))
		}
	}
	if len(stderr) > 20_000 {
		a.fall("%s it says %d bytes", what, len(stderr))
	}
}

// call runs a command to its end, or sends Ctrl-C after a while; the exit code is
// negative if that does not end it. Memory is bounded, for what is absurd.
func (a *attempt) call(patience time.Duration, args ...string) (stdout, stderr string, code int) {
	a.t.Helper()
	folder := filepath.Join(a.folder, "cwd")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		a.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", append([]string{"-c", `ulimit -v 6000000 && exec "$0" "$@"`, a.program}, args...)...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGINT) }
	cmd.WaitDelay = 20 * time.Second // then it is killed: contents of 1 GB are not made in a moment
	cmd.Dir, cmd.Env = folder, environment()
	var out, said strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &said
	_ = cmd.Run()
	return out.String(), said.String(), cmd.ProcessState.ExitCode()
}

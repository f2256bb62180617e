//go:build unix

package place

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/agents/wire"
	"github.com/brokerbench/brokerbench/internal/leaf/ssh"
)

func joins() []wire.Join {
	return []wire.Join{
		{URL: "nats://h:1", Run: "r", Agent: wire.Identity{Name: "a1", Secret: "s3cret1"}},
		{URL: "nats://h:1", Run: "r", Agent: wire.Identity{Name: "a2", Secret: "s3cret2"}},
	}
}

// fake writes a command that notes its arguments and its standard input.
func fake(t *testing.T, script string) (command []string, noted func() string) {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "fake")
	text := "#!/bin/sh\n" + `printf '%s\n' "$@" >>"` + dir + `/noted"` + "\n" + script + "\n"
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	return []string{path}, func() string {
		said, _ := os.ReadFile(filepath.Join(dir, "noted"))
		return string(said)
	}
}

// What agents join with goes through standard input, and nowhere else. Each has a file of its
// own, and sees no other.
func TestKubectlGetsSecretsByStandardInput(t *testing.T) {
	command, noted := fake(t, `cat >"$0.in"`)
	k := Kubectl{Command: append(command, "--context", "c"), Run: "r1", Image: "image:1", Pod: `{"nodeSelector": {"pool": "bench"}, "imagePullSecrets": [{"name": "registry"}], "tolerations": [{"key": "bench"}]}`}
	if err := k.Start(t.Context(), joins()); err != nil {
		t.Fatal(err)
	}
	if got := noted(); got != "--context\nc\napply\n--server-side\n-f\n-\n" {
		t.Errorf("arguments %q", got)
	}
	text, err := os.ReadFile(command[0] + ".in")
	if err != nil {
		t.Fatal(err)
	}
	var list struct {
		Items []struct {
			Kind       string            `json:"kind"`
			StringData map[string]string `json:"stringData"`
			Spec       struct {
				Completions          int    `json:"completions"`
				Parallelism          int    `json:"parallelism"`
				CompletionMode       string `json:"completionMode"`
				BackoffLimitPerIndex *int   `json:"backoffLimitPerIndex"`
				MaxFailedIndexes     int    `json:"maxFailedIndexes"`
				Deadline             int    `json:"activeDeadlineSeconds"`
				Template             struct {
					Spec struct {
						NodeSelector map[string]string `json:"nodeSelector"`
						PullSecrets  []map[string]any  `json:"imagePullSecrets"`
						Tolerations  []map[string]any  `json:"tolerations"`
						Containers   []struct {
							Args         []string         `json:"args"`
							VolumeMounts []map[string]any `json:"volumeMounts"`
						} `json:"containers"`
					} `json:"spec"`
				} `json:"template"`
			} `json:"spec"`
		} `json:"items"`
	}
	if err := json.Unmarshal(text, &list); err != nil || len(list.Items) != 2 {
		t.Fatalf("%s, %v", text, err)
	}
	for i, want := range joins() {
		file := list.Items[0].StringData[fmt.Sprintf("%d.json", i)]
		if got, err := wire.ReadJoin(strings.NewReader(file)); err != nil || got != want || strings.Count(file, "s3cret") != 1 {
			t.Errorf("%+v, %v, want %+v", got, err, want)
		}
	}
	if n := len(list.Items[0].StringData); n != 2 {
		t.Errorf("%d files in the Secret, want one for each agent", n)
	}
	if s := list.Items[1].Spec; s.Completions != 2 || s.Parallelism != 2 || s.CompletionMode != "Indexed" || s.BackoffLimitPerIndex == nil || *s.BackoffLimitPerIndex != 0 || s.MaxFailedIndexes != 2 {
		t.Errorf("%+v", s)
	}
	if s, p := list.Items[1].Spec, list.Items[1].Spec.Template.Spec; s.Deadline != 86_400 || p.NodeSelector["pool"] != "bench" || len(p.PullSecrets) != 1 || len(p.Tolerations) != 1 {
		t.Errorf("%+v", s)
	}
	c := list.Items[1].Spec.Template.Spec.Containers[0]
	if m := c.VolumeMounts[0]; m["subPathExpr"] != "$(JOB_COMPLETION_INDEX).json" || m["mountPath"] != c.Args[len(c.Args)-1] {
		t.Errorf("%v of %v", c.Args, m)
	}
	if strings.Count(string(text), "s3cret") != 2 {
		t.Error("a secret is in more than the Secret")
	}
	if err := k.Stop(t.Context()); err != nil || !strings.Contains(noted(), "brokerbench.run=r1") {
		t.Errorf("%v: %q", err, noted())
	}
}

func TestAPodThatIsNoneIsRefused(t *testing.T) {
	command, noted := fake(t, "")
	if err := (Kubectl{Command: command, Pod: "pool=bench"}).Start(t.Context(), joins()); err == nil || !strings.Contains(err.Error(), "BROKERBENCH_POD") || noted() != "" {
		t.Errorf("%v: %q", err, noted())
	}
}

func TestKubectlThatFails(t *testing.T) {
	command, _ := fake(t, "echo no such context >&2; exit 1")
	if err := (Kubectl{Command: command}).Start(t.Context(), joins()); err == nil || !strings.Contains(err.Error(), "kubectl apply: exit status 1: no such context") || strings.Contains(err.Error(), "s3cret") {
		t.Error(err)
	}
}

// overSSH starts the first agent with a command for ssh.
func overSSH(t *testing.T, command []string, forward int) *Process {
	t.Helper()
	s, err := ssh.New(command, "")
	if err != nil {
		t.Fatal(err)
	}
	p, err := SSH(s, "ssh://h", forward, joins()[0])
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// The agent gets its file by standard input, which stays open until Stop.
func TestAnAgentOverSSHJoinsByStandardInput(t *testing.T) {
	command, noted := fake(t, `head -n 1 >"$0.in"; cat >/dev/null; echo "it has ended" >&2; exit 3`)
	p := overSSH(t, command, 4777)
	select {
	case <-p.Ended():
		t.Error("it ended before its standard input")
	case <-time.After(200 * time.Millisecond):
	}
	if err := p.Stop(); err != nil {
		t.Error(err)
	}
	if why := p.Why(); why != "its process ended: exit status 3 (it has ended)" {
		t.Errorf("%q", why)
	}
	text, _ := os.ReadFile(command[0] + ".in")
	if got, err := wire.ReadJoin(strings.NewReader(string(text))); err != nil || got != joins()[0] {
		t.Errorf("%s, %v", text, err)
	}
	args := noted()
	for _, want := range []string{"BatchMode=yes", "ServerAliveInterval=5", "ExitOnForwardFailure=yes", "127.0.0.1:4777:127.0.0.1:4777", "ssh://h", "agent --join -"} {
		if !strings.Contains(args, want) {
			t.Errorf("the arguments lack %q: %s", want, args)
		}
	}
	if strings.Contains(args, "s3cret") {
		t.Error("a secret is among the arguments")
	}
}

// A process that does not read what it joins with is no agent: it is ended, and the error names
// the agent and what the process said.
func TestAProcessThatDoesNotReadItsJoinFile(t *testing.T) {
	command, _ := fake(t, `exec <&-; echo "ssh: no such host" >&2; exit 255`)
	s, err := ssh.New(command, "")
	if err != nil {
		t.Fatal(err)
	}
	j := joins()[0]
	j.URL += strings.Repeat("x", 1<<20) // more than a pipe holds
	p, err := SSH(s, "ssh://h", 0, j)
	if err == nil || p != nil || !strings.Contains(err.Error(), "starting agent a1: giving it its join file: ") || !strings.Contains(err.Error(), "exit status 255 (ssh: no such host)") || strings.Contains(err.Error(), "s3cret") {
		t.Errorf("%v, %v", p, err)
	}
}

// An ssh that leaves its connection to others in the background has ended all the same.
func TestAProcessThatLeavesItsOutputOpenHasEnded(t *testing.T) {
	command, _ := fake(t, `head -n 1 >/dev/null; sleep 60 & echo $! >"$0.pid"; echo "lost" >&2; exit 255`)
	p := overSSH(t, command, 0)
	select {
	case <-p.Ended():
	case <-time.After(30 * time.Second):
		t.Fatal("it has not ended")
	}
	if why := p.Why(); why != "its process ended: exit status 255 (lost)" {
		t.Errorf("%q", why)
	}
	text, err := os.ReadFile(command[0] + ".pid")
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	_ = syscall.Kill(pid, syscall.SIGKILL)
}

package kubernetes_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// `brokerbench run --agents k8s:N` from a machine outside, on one cluster of four nodes.
func TestAgentsOnACluster(t *testing.T) {
	c := newCluster(t, 4)
	for _, one := range []struct {
		name string
		test func(*testing.T, *cluster)
	}{
		{"three pods make one result", threePods},
		{"a pod is killed", killed},
		{"a pod is killed and the cell is kept", killedAndKept},
		{"more agents than nodes", tooFewNodes},
		{"Ctrl-C", interrupted},
	} {
		t.Run(one.name, func(t *testing.T) {
			one.test(t, c)
			c.removed(t)
		})
	}
}

func threePods(t *testing.T, c *cluster) {
	r := c.onPods(t, 3)
	r.wants("on 3 agents")
	pods := c.agents(t)
	spread(t, pods, 3)
	for _, pod := range pods {
		if ports := listening(c.k.pid(pod.Name)); ports != "" {
			t.Errorf("%s listens: %s", pod.Name, ports)
		}
	}
	unsaid(t, c)
	r.measures()
	t.Log(r.out.String())

	one := c.measures(t)
	one.measures()
	whole(t, only(t, r), only(t, one), 3)
	compared := begin(t, c.command(t, one.dir, "compare", latest(one.dir), latest(r.dir)), "")
	compared.end()
	t.Logf("one machine, and three pods:\n%s", compared.out.String())
}

func latest(out string) string { return filepath.Join(out, "latest") }

func only(t *testing.T, r *process) cell {
	t.Helper()
	list := cells(t, r.dir)
	if len(list) != 1 {
		t.Fatalf("%d cells: %s", len(list), r.out.String())
	}
	return list[0]
}

// listening returns the sockets that listen in a process's network, as in /proc/net.
func listening(pid int) (lines string) {
	for _, name := range []string{"tcp", "tcp6"} {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/net/%s", pid, name))
		for line := range strings.Lines(string(text)) {
			if fields := strings.Fields(line); len(fields) > 3 && fields[3] == "0A" {
				lines += line
			}
		}
	}
	return lines
}

// unsaid wants no key of an agent anywhere but in the Secret.
func unsaid(t *testing.T, c *cluster) {
	t.Helper()
	secrets, err := c.client.CoreV1().Secrets(namespace).List(t.Context(), meta.ListOptions{})
	if err != nil || len(secrets.Items) != 1 {
		t.Fatalf("%d Secrets, %v", len(secrets.Items), err)
	}
	text, _ := json.Marshal([]any{c.jobs(t, ""), c.agents(t)})
	if n := len(secrets.Items[0].Data); n != 3 {
		t.Errorf("%d files in the Secret, want one for each agent", n)
	}
	for name, data := range secrets.Items[0].Data {
		var join struct{ Agent struct{ Secret string } }
		if _ = json.Unmarshal(data, &join); join.Agent.Secret == "" || strings.Count(string(data), `"secret"`) != 1 {
			t.Errorf("%s has not one secret", name)
		} else if strings.Contains(string(text), join.Agent.Secret) {
			t.Error("a secret is in the Job or a pod")
		}
	}
}

// kill ends the first pod's process, and waits until Kubernetes knows.
func kill(t *testing.T, c *cluster) (pod core.Pod) {
	t.Helper()
	pod = c.agents(t)[0]
	c.k.signal(pod.Name, syscall.SIGKILL)
	eventually(t, jobTimeout, "the Job counts a failed index", func() bool {
		jobs := c.jobs(t, "")
		return len(jobs) == 1 && jobs[0].Status.Failed == 1
	})
	pods := c.agents(t)
	i := slices.IndexFunc(pods, func(p core.Pod) bool { return p.Name == pod.Name })
	if ended := pods[i].Status.ContainerStatuses[0].State.Terminated; ended == nil || ended.ExitCode != 137 {
		t.Errorf("it ended with %+v, want exit code 137", ended)
	} else {
		t.Logf("%s: exit code %d", pod.Name, ended.ExitCode)
	}
	return pod
}

// A pod that is killed is not restarted, and the others continue while the coordinator
// waits: it would fetch their results if it kept the cell.
func killed(t *testing.T, c *cluster) {
	r := c.onPods(t, 3, "--agents-wait", "8s")
	r.wants("on 3 agents")
	kill(t, c)
	time.Sleep(3 * time.Second) // in which a Job with podFailurePolicy had ended the others
	if got := len(c.k.pods()); got != 2 {
		t.Errorf("%d agents run after one was killed, want the other 2", got)
	}
	if code := r.end(); code != invalid || !strings.Contains(r.out.String(), "given up: agent ") || !strings.Contains(r.out.String(), "are not there after 8s") {
		t.Errorf("exit code %d", code)
	}
	t.Log(r.out.String())
}

func killedAndKept(t *testing.T, c *cluster) {
	r := c.onPods(t, 3, "--on-loss", "keep")
	r.wants("on 3 agents")
	kill(t, c)
	if code := r.end(); code != invalid {
		t.Errorf("exit code %d", code)
	}
	t.Log(r.out.String())
	got := only(t, r)
	lost := slices.ContainsFunc(got.Agents, func(a agent) bool { return a.Lost != "" })
	if got.Ledger.Due != 3000 || got.Ledger.Lost != 1000 || got.Verdict != "invalid" || !lost {
		t.Errorf("%+v, %s; want 1000 of 3000 lost", got.Ledger, got.Verdict)
	}
}

// The extra agent is not put beside another one: it has no node, and the run names it.
func tooFewNodes(t *testing.T, c *cluster) {
	r := c.onPods(t, 5, "--agents-wait", "30s")
	eventually(t, jobTimeout, "four agents run", func() bool { return len(c.k.pods()) == 4 })
	var why string
	eventually(t, jobTimeout, "the scheduler says why the fifth has no node", func() bool {
		for _, pod := range c.agents(t) {
			if pod.Spec.NodeName == "" && len(pod.Status.Conditions) > 0 {
				why = pod.Status.Conditions[0].Message
			}
		}
		return why != ""
	})
	t.Logf("the scheduler: %s", why)
	if !strings.Contains(why, "anti-affinity") {
		t.Errorf("it waits because %s", why)
	}
	if code := r.end(); code != invalid || !strings.Contains(r.out.String(), "are not there after 30s") {
		t.Errorf("exit code %d", code)
	}
	t.Log(r.out.String())
}

// The measurements so far are kept, and no object is left.
func interrupted(t *testing.T, c *cluster) {
	r := c.onPods(t, 3, "--duration", "60s")
	r.wants("on 3 agents")
	time.Sleep(3 * time.Second)
	if err := r.cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if code := r.end(); code != 130 {
		t.Errorf("exit code %d: %s", code, r.out.String())
	}
	if got := only(t, r); !got.Interrupted || got.Ledger.Done == 0 {
		t.Errorf("%+v, interrupted: %v", got.Ledger, got.Interrupted)
	}
}

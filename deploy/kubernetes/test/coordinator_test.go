package kubernetes_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A site is deploy/kubernetes/run in a folder of the test, with a plan for the test, and
// the cluster's storage.
type site struct {
	*cluster
	run     string // the kustomization
	plan    string
	results string // the volume behind the claim
}

// newSite has one cell for each rate.
func newSite(t *testing.T, rates string) *site {
	t.Helper()
	c := newCluster(t, 5)
	s := &site{cluster: c, run: t.TempDir(), results: t.TempDir()}
	s.plan = filepath.Join(s.run, "plan.yaml")
	if err := os.CopyFS(s.run, os.DirFS(filepath.Join(manifests, "run"))); err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("name: kubernetes\nduration: 5s\nwarmup: 1s\nfloor: off\ntargets:\n  - {name: nats, url: \"nats://%s\"}\nmatrix:\n  rate: %s\n  connections: 6\n", c.broker(), rates)
	s.write(t, s.plan, text)
	volume := filepath.Join(c.dir, "volume.yaml")
	s.write(t, volume, fmt.Sprintf(`{apiVersion: v1, kind: PersistentVolume, metadata: {name: results},
  spec: {capacity: {storage: 5Gi}, accessModes: [ReadWriteOnce], hostPath: {path: "%s"}}}`, s.results))
	c.kubectl(t, "apply", "-f", volume)
	return s
}

func (s *site) write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// coordinator waits for the coordinator's pod, gives it its name in place of a DNS, and
// returns it.
func (s *site) coordinator(t *testing.T) (pod core.Pod) {
	t.Helper()
	eventually(t, jobTimeout, "the coordinator runs", func() bool {
		pods := s.pods(t, "app=coordinator")
		for _, pod = range pods {
			if s.k.pid(pod.Name) != 0 && pod.Status.PodIP != "" {
				return true
			}
		}
		return false
	})
	s.k.writeHosts(t, pod.Status.PodIP+" "+hostname(&pod))
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("%s:\n%s", pod.Name, s.k.log(&pod))
		}
	})
	eventually(t, jobTimeout, "the Service leads to the coordinator", func() bool {
		list, err := s.client.DiscoveryV1().EndpointSlices(namespace).List(t.Context(), meta.ListOptions{LabelSelector: "kubernetes.io/service-name=coordinator"})
		if err != nil {
			t.Fatal(err)
		}
		for _, slice := range list.Items {
			for _, end := range slice.Endpoints {
				if end.Addresses[0] == pod.Status.PodIP {
					return true
				}
			}
		}
		return false
	})
	return pod
}

// join makes the Secret that the agents wait for, of what the coordinator wrote, and waits
// for them.
func (s *site) join(t *testing.T, coordinator core.Pod) {
	t.Helper()
	var files []string
	eventually(t, jobTimeout, "the coordinator wrote three join files", func() bool {
		files, _ = filepath.Glob(filepath.Join(s.results, ".state", "brokerbench", "*", "join", "*.json"))
		return len(files) == 3
	})
	s.kubectl(t, "create", "secret", "generic", "join", "--from-file="+filepath.Dir(files[0]))
	eventually(t, jobTimeout, "three agents measure", func() bool { return strings.Contains(s.k.log(&coordinator), "on 3 agents") })
	agents := s.pods(t, "app=agent")
	spread(t, agents, 3)
	for _, pod := range agents {
		if ports := listening(s.k.pid(pod.Name)); ports != "" && pod.Spec.NodeName != coordinator.Spec.NodeName {
			t.Errorf("%s listens: %s", pod.Name, ports)
		}
		t.Cleanup(func() {
			if t.Failed() {
				t.Logf("%s:\n%s", pod.Name, s.k.log(&pod))
			}
		})
	}
}

// completed waits until both Jobs are over, with nothing lost. A cell may not be valid, on a machine that is busy.
func (s *site) completed(t *testing.T) {
	t.Helper()
	for _, app := range []string{"coordinator", "agent"} {
		var pods []core.Pod
		eventually(t, jobTimeout, "the pods of "+app+" have ended", func() bool {
			pods = s.pods(t, "app="+app)
			return !slices.ContainsFunc(pods, func(pod core.Pod) bool {
				return pod.Status.Phase != core.PodSucceeded && pod.Status.Phase != core.PodFailed
			})
		})
		for _, pod := range pods {
			code := pod.Status.ContainerStatuses[0].State.Terminated.ExitCode
			t.Logf("%s on %s: exit code %d", pod.Name, pod.Spec.NodeName, code)
			if code != 0 && (app == "agent" || code != invalid) {
				t.Errorf("%s: exit code %d: %s", pod.Name, code, s.k.log(&pod))
			}
		}
	}
	eventually(t, jobTimeout, "the agents' Job is complete", func() bool {
		job, err := s.client.BatchV1().Jobs(namespace).Get(t.Context(), "agents", meta.GetOptions{})
		return err == nil && job.Status.CompletedIndexes == "0-2" && job.Status.Failed == 0
	})
}

// compared measures the same plan on one machine, and wants the same of the pods.
func (s *site) compared(t *testing.T, rates ...int64) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out")
	one := begin(t, s.command(t, t.TempDir(), "run", "--file", s.plan, "--out", out, "--report", "off"), out)
	one.measures()
	got, want := cells(t, s.results), cells(t, out)
	if len(got) != len(rates) || len(want) != len(rates) {
		t.Fatalf("%d cells, on one machine %d, want %d", len(got), len(want), len(rates))
	}
	for i := range rates {
		whole(t, got[i], want[i], 3)
	}
	said := begin(t, s.command(t, t.TempDir(), "compare", latest(out), latest(s.results)), "")
	said.end()
	t.Logf("one machine, and three pods:\n%s", said.out.String())
}

func TestTheCoordinatorInTheCluster(t *testing.T) {
	s := newSite(t, "[300, 600]")
	t.Log(s.kubectl(t, "apply", "-k", s.run))
	pod := s.coordinator(t)
	s.join(t, pod)
	s.completed(t)
	t.Logf("kubectl logs job/coordinator:\n%s", s.k.log(&pod))
	s.compared(t, 300, 600)
	if left, _ := filepath.Glob(filepath.Join(s.results, ".state", "brokerbench", "*")); left != nil {
		t.Errorf("the run is over, and its secrets are still on the claim: %v", left)
	}
	var owner syscall.Stat_t
	if err := syscall.Stat(filepath.Join(s.results, "latest", "run.json"), &owner); err != nil || owner.Uid != imageUser {
		t.Errorf("the results belong to user %d, %v", owner.Uid, err)
	}
}

// The coordinator's pod is killed in the second of three cells. A Job that resumes the run
// has another pod, on whichever node: the agents find it by its name.
func TestTheCoordinatorIsKilledAndResumed(t *testing.T) {
	s := newSite(t, "[300, 600, 900]")
	s.kubectl(t, "apply", "-k", s.run)
	pod := s.coordinator(t)
	s.join(t, pod)
	eventually(t, jobTimeout, "the second cell is measured", func() bool {
		return strings.Contains(s.k.log(&pod), "[2/3] nats, 1 KiB at 600/s, 6 connections: 0s of")
	})
	s.k.signal(pod.Name, syscall.SIGKILL)
	eventually(t, jobTimeout, "the coordinator's Job has failed", func() bool {
		job, err := s.client.BatchV1().Jobs(namespace).Get(t.Context(), "coordinator", meta.GetOptions{})
		return err == nil && job.Status.Failed == 1
	})
	if got := len(s.k.pods()); got != 3 {
		t.Errorf("%d pods go on, want the 3 agents", got)
	}

	run, err := os.Readlink(latest(s.results))
	if err != nil {
		t.Fatal(err)
	}
	s.resume(t, filepath.Base(run))
	again := s.coordinator(t)
	s.completed(t)
	t.Logf("killed:\n%s\nresumed, %s:\n%s", s.k.log(&pod), again.Name, s.k.log(&again))
	s.compared(t, 300, 600, 900)
}

// resume replaces the coordinator's Job by one that continues a run.
func (s *site) resume(t *testing.T, run string) {
	t.Helper()
	s.kubectl(t, "delete", "job", "coordinator")
	file, err := os.OpenFile(filepath.Join(s.run, "kustomization.yaml"), os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = fmt.Fprintf(file, `patches:
  - target: {kind: Job, name: coordinator}
    patch: |
      - op: replace
        path: /spec/template/spec/containers/0/args
        value: [resume, /results/%s]
`, run)
	}
	if err != nil {
		t.Fatal(err)
	}
	_ = file.Close()
	t.Log(s.kubectl(t, "apply", "-k", s.run))
	eventually(t, jobTimeout, "the first coordinator's pod is removed", func() bool {
		pods, err := s.client.CoreV1().Pods(namespace).List(context.Background(), meta.ListOptions{LabelSelector: "app=coordinator"})
		return err == nil && len(pods.Items) == 1
	})
}

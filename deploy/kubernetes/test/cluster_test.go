package kubernetes_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	namespace = "brokerbench" // that of deploy/kubernetes/run; it enforces "restricted"
	manifests = ".."
	// jobTimeout bounds what takes a second or two on a machine that has time.
	jobTimeout = 2 * time.Minute
)

// A cluster is a control plane with nodes, and a broker outside.
type cluster struct {
	*plane
	net *network
	k   *kubelet
}

func newCluster(t *testing.T, nodes int) *cluster {
	t.Helper()
	image, net := brokerbench(t), newNetwork(t, nodes)
	c := &cluster{plane: startPlane(t), net: net}
	c.namespace(t, "run")
	c.k = startKubelet(t, c.plane, net, image)
	begin(t, net.command(program(t, c.dir, "nats-server"), c.broker()), "")
	return c
}

// broker is the address of the one that is measured.
func (c *cluster) broker() string { return c.net.outside() + ":4222" }

// kubectl runs the real one.
func (p *plane) kubectl(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command(program(t, p.dir, "kubectl"), append([]string{"--kubeconfig", p.kubeconfig}, args...)...)
	cmd.Env = append(os.Environ(), "HOME="+p.dir) // it keeps a cache there
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("kubectl %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// namespace makes the namespace of a folder of manifests, and waits until pods may be made there.
func (p *plane) namespace(t *testing.T, folder string) {
	t.Helper()
	name := strings.TrimSpace(p.kubectl(t, "apply", "--server-side", "-f", filepath.Join(manifests, folder, "namespace.yaml"), "-o", "jsonpath={.metadata.name}"))
	eventually(t, jobTimeout, "there is a service account in "+name, func() bool {
		_, err := p.client.CoreV1().ServiceAccounts(name).Get(t.Context(), "default", meta.GetOptions{})
		return err == nil
	})
}

// command is brokerbench outside of the cluster, with a kubectl that reaches it.
func (c *cluster) command(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	kubectl := fmt.Sprintf("nsenter --net=/proc/%d/ns/net %s --kubeconfig %s", os.Getpid(), program(t, c.dir, "kubectl"), c.kubeconfig)
	cmd := c.net.command(brokerbench(t), args...)
	cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_STATE_HOME="+filepath.Join(dir, "state"), "BROKERBENCH_KUBECTL="+kubectl)
	return cmd
}

// measures starts a run of one short cell.
func (c *cluster) measures(t *testing.T, more ...string) *process {
	t.Helper()
	dir := t.TempDir()
	return begin(t, c.command(t, dir, append([]string{
		"run", "nats://" + c.broker(), "--rate", "600", "--connections", "6", "--duration", "5s", "--warmup", "1s", "--floor=off",
		"--out", filepath.Join(dir, "out"), "--report", "off",
	}, more...)...), filepath.Join(dir, "out"))
}

// onPods starts a run on so many agents in the cluster.
func (c *cluster) onPods(t *testing.T, n int, more ...string) *process {
	t.Helper()
	return c.measures(t, append([]string{"--agents", fmt.Sprint("k8s:", n), "--control", "listen://" + c.net.outside() + ":4777"}, more...)...)
}

// pods returns the pods that have a label.
func (p *plane) pods(t *testing.T, label string) []core.Pod {
	t.Helper()
	list, err := p.client.CoreV1().Pods(namespace).List(t.Context(), meta.ListOptions{LabelSelector: label})
	if err != nil {
		t.Fatal(err)
	}
	return list.Items
}

// agents are the pods that brokerbench made.
func (p *plane) agents(t *testing.T) []core.Pod {
	t.Helper()
	return p.pods(t, "app.kubernetes.io/name=brokerbench")
}

// jobs returns the Jobs that have a label.
func (p *plane) jobs(t *testing.T, label string) []batch.Job {
	t.Helper()
	list, err := p.client.BatchV1().Jobs(namespace).List(t.Context(), meta.ListOptions{LabelSelector: label})
	if err != nil {
		t.Fatal(err)
	}
	return list.Items
}

// removed waits until a run has left nothing in the cluster.
func (c *cluster) removed(t *testing.T) {
	t.Helper()
	eventually(t, jobTimeout, "the run's Job, its pods and its Secret are removed", func() bool {
		secrets, err := c.client.CoreV1().Secrets(namespace).List(t.Context(), meta.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return len(secrets.Items)+len(c.jobs(t, ""))+len(c.agents(t))+len(c.k.pods()) == 0
	})
}

// spread checks that n pods are on separate nodes, with whole cores.
func spread(t *testing.T, pods []core.Pod, n int) {
	t.Helper()
	var nodes, indexes []string
	for _, pod := range pods {
		nodes = append(nodes, pod.Spec.NodeName)
		indexes = append(indexes, pod.Annotations[batch.JobCompletionIndexAnnotation])
		if pod.Status.QOSClass != core.PodQOSGuaranteed {
			t.Errorf("%s is %s", pod.Name, pod.Status.QOSClass)
		}
	}
	t.Logf("agents %v are on %v", indexes, nodes)
	slices.Sort(nodes)
	slices.Sort(indexes)
	if len(pods) != n || len(slices.Compact(nodes)) != n || len(slices.Compact(indexes)) != n {
		t.Errorf("%d agents %v are on nodes %v, want %d on as many", len(pods), indexes, nodes, n)
	}
}

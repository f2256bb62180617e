package kubernetes_test

import (
	"context"
	"fmt"
	"os/exec"
	"sync"
	"syscall"
	"testing"
	"time"

	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
)

// A kubelet runs the pods of all nodes as processes of this machine. It knows what
// brokerbench's manifests use, and fails a pod that wants something else.
type kubelet struct {
	client *kubernetes.Clientset
	net    *network
	dir    string
	image  string // the program that is in the image
	enter  string // makes a process the container

	mu        sync.Mutex
	seen      map[types.UID]bool
	processes map[string]*exec.Cmd // by the pod's name; of those that run
	running   sync.WaitGroup
}

// startKubelet makes nodes of a network's machines and serves them until the test ends.
func startKubelet(t *testing.T, p *plane, net *network, image string) *kubelet {
	t.Helper()
	k := &kubelet{
		client: p.client, net: net, dir: t.TempDir(), image: image, enter: program(t, p.dir, "container"),
		seen: make(map[types.UID]bool), processes: make(map[string]*exec.Cmd),
	}
	k.writeHosts(t)
	for i := range net.nodes {
		k.makeNode(t, i)
	}
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(func() {
		cancel()
		for _, pod := range k.pods() {
			k.signal(pod, syscall.SIGKILL)
		}
		k.running.Wait()
	})
	watch, err := p.client.CoreV1().Pods(meta.NamespaceAll).Watch(ctx, meta.ListOptions{FieldSelector: fields.OneTermNotEqualSelector("spec.nodeName", "").String()})
	if err != nil {
		t.Fatal(err)
	}
	k.running.Go(func() {
		for event := range watch.ResultChan() {
			if pod, ok := event.Object.(*core.Pod); ok {
				k.see(ctx, pod)
			}
		}
	})
	return k
}

func nodeName(i int) string { return fmt.Sprintf("node-%d", i) }

// index returns which node a pod is on.
func (k *kubelet) index(pod *core.Pod) (i int) {
	_, _ = fmt.Sscanf(pod.Spec.NodeName, "node-%d", &i)
	return i
}

// makeNode makes a node that is ready and has room for three agents, were they allowed.
func (k *kubelet) makeNode(t *testing.T, i int) {
	t.Helper()
	room := core.ResourceList{core.ResourceCPU: resource.MustParse("8"), core.ResourceMemory: resource.MustParse("16Gi"), core.ResourcePods: resource.MustParse("20")}
	node := &core.Node{ObjectMeta: meta.ObjectMeta{Name: nodeName(i), Labels: map[string]string{core.LabelHostname: nodeName(i)}}}
	made, err := k.client.CoreV1().Nodes().Create(t.Context(), node, meta.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	made.Status = core.NodeStatus{
		Capacity: room, Allocatable: room, Conditions: []core.NodeCondition{{Type: core.NodeReady, Status: core.ConditionTrue}},
		Addresses: []core.NodeAddress{{Type: core.NodeInternalIP, Address: k.net.addr(i)}},
	}
	if _, err := k.client.CoreV1().Nodes().UpdateStatus(t.Context(), made, meta.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// see starts a pod that is new, and ends one that is to go.
func (k *kubelet) see(ctx context.Context, pod *core.Pod) {
	k.mu.Lock()
	known := k.seen[pod.UID]
	k.seen[pod.UID] = true
	k.mu.Unlock()
	switch {
	case !known && pod.Status.Phase == core.PodPending:
		k.running.Go(func() { k.run(ctx, pod) })
	case pod.DeletionTimestamp != nil:
		k.signal(pod.Name, syscall.SIGTERM)
		time.AfterFunc(time.Duration(*pod.DeletionGracePeriodSeconds)*time.Second, func() { k.signal(pod.Name, syscall.SIGKILL) })
	}
}

// run runs a pod from its beginning to its end.
func (k *kubelet) run(ctx context.Context, pod *core.Pod) {
	cmd, err := k.prepare(ctx, pod)
	if err == nil {
		err = cmd.Start()
	}
	if err == nil {
		k.mu.Lock()
		k.processes[pod.Name] = cmd
		k.mu.Unlock()
		k.report(ctx, pod, core.PodRunning, core.ContainerState{Running: &core.ContainerStateRunning{StartedAt: meta.Now()}})
		_ = cmd.Wait()
		k.mu.Lock()
		delete(k.processes, pod.Name)
		k.mu.Unlock()
	}
	phase, ended := outcome(cmd, err)
	k.report(ctx, pod, phase, core.ContainerState{Terminated: ended})
	if current, err := k.current(ctx, pod); err == nil && current.DeletionTimestamp != nil {
		_ = k.client.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, *meta.NewDeleteOptions(0))
	}
}

// outcome returns the phase and the end of a container, as a container runtime reports them:
// the code of a signal is 128 and its number. err is the error if it did not start.
func outcome(cmd *exec.Cmd, err error) (core.PodPhase, *core.ContainerStateTerminated) {
	ended := &core.ContainerStateTerminated{FinishedAt: meta.Now()}
	if err != nil {
		ended.ExitCode, ended.Reason, ended.Message = 128, "StartError", err.Error()
		return core.PodFailed, ended
	}
	ended.ExitCode = int32(cmd.ProcessState.ExitCode())
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		ended.ExitCode = 128 + int32(status.Signal())
	}
	if ended.ExitCode != 0 {
		ended.Reason = "Error"
		return core.PodFailed, ended
	}
	ended.Reason = "Completed"
	return core.PodSucceeded, ended
}

func (k *kubelet) current(ctx context.Context, pod *core.Pod) (*core.Pod, error) {
	return k.client.CoreV1().Pods(pod.Namespace).Get(ctx, pod.Name, meta.GetOptions{})
}

// report writes the status of a pod.
func (k *kubelet) report(ctx context.Context, pod *core.Pod, phase core.PodPhase, state core.ContainerState) {
	ready := core.ConditionFalse
	if state.Running != nil {
		ready = core.ConditionTrue
	}
	for range 5 { // somebody else may have changed the pod meanwhile
		now, err := k.current(ctx, pod)
		if err != nil {
			return
		}
		s := &now.Status
		s.Phase, s.PodIP, s.PodIPs = phase, k.net.addr(k.index(pod)), []core.PodIP{{IP: k.net.addr(k.index(pod))}}
		s.Conditions = []core.PodCondition{{Type: core.PodScheduled, Status: core.ConditionTrue}, {Type: core.PodReady, Status: ready}}
		c := pod.Spec.Containers[0]
		s.ContainerStatuses = []core.ContainerStatus{{Name: c.Name, Image: c.Image, Ready: state.Running != nil, State: state}}
		if _, err := k.client.CoreV1().Pods(pod.Namespace).UpdateStatus(ctx, now, meta.UpdateOptions{}); err == nil {
			return
		}
	}
}

// pods returns the names of the pods that run.
func (k *kubelet) pods() (names []string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for name := range k.processes {
		names = append(names, name)
	}
	return names
}

// pid returns the process of a pod; 0 if it does not run.
func (k *kubelet) pid(pod string) int {
	k.mu.Lock()
	defer k.mu.Unlock()
	if cmd := k.processes[pod]; cmd != nil {
		return cmd.Process.Pid
	}
	return 0
}

// signal sends a signal to a pod's process.
func (k *kubelet) signal(pod string, sig syscall.Signal) {
	if pid := k.pid(pod); pid != 0 {
		_ = syscall.Kill(pid, sig)
	}
}

package kubernetes_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	core "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/kubernetes/pkg/fieldpath"
	"k8s.io/kubernetes/third_party/forked/golang/expansion"
)

// The image of deploy/container/Dockerfile.
const (
	imageProgram = "/usr/bin/brokerbench"
	imageFolder  = "/results"
	imageUser    = 65532
)

// prepare makes the process of a pod, once all is there that it mounts.
func (k *kubelet) prepare(ctx context.Context, pod *core.Pod) (*exec.Cmd, error) {
	for {
		now, err := k.current(ctx, pod)
		if err == nil && now.DeletionTimestamp != nil {
			err = errors.New("deleted before it began")
		}
		if err != nil {
			return nil, err
		}
		c, err := k.container(ctx, pod)
		if err == nil {
			return k.command(pod, c)
		}
		if !apierrors.IsNotFound(err) {
			return nil, err
		}
		time.Sleep(200 * time.Millisecond) // a Secret that is still to come
	}
}

// folder is where a pod has its root, its volumes and its log.
func (k *kubelet) folder(pod *core.Pod) string { return filepath.Join(k.dir, string(pod.UID)) }

// log returns the output of a pod.
func (k *kubelet) log(pod *core.Pod) string {
	text, _ := os.ReadFile(filepath.Join(k.folder(pod), "log"))
	return string(text)
}

// container returns the container of a pod.
func (k *kubelet) container(ctx context.Context, pod *core.Pod) (c container, err error) {
	spec := pod.Spec.Containers[0]
	if len(pod.Spec.Containers)+len(pod.Spec.InitContainers) > 1 || !strings.Contains(spec.Image, "brokerbench") || spec.Command != nil {
		return c, fmt.Errorf("this kubelet has no image but brokerbench's, and one container in a pod: %s", spec.Image)
	}
	c = container{
		Root: filepath.Join(k.folder(pod), "root"), Network: k.net.file(k.index(pod)), Hostname: hostname(pod), Dir: imageFolder,
		UID: imageUser, GID: imageUser, Args: []string{imageProgram},
		Mounts: []mount{
			{From: k.image, To: imageProgram, ReadOnly: true},
			{From: k.hosts(), To: "/etc/hosts", ReadOnly: true},
			{From: "/dev/null", To: "/dev/null"},
			{From: "/sys", To: "/sys", ReadOnly: true},
		},
	}
	if spec.WorkingDir != "" {
		c.Dir = spec.WorkingDir
	}
	if s := pod.Spec.SecurityContext; s != nil && s.RunAsUser != nil {
		c.UID = int(*s.RunAsUser)
	}
	if group := fsGroup(pod); group >= 0 {
		c.Groups = []int{group}
	}
	values, err := environment(pod, spec)
	if err != nil {
		return c, err
	}
	known := expansion.MappingFuncFor(values)
	for name, value := range values {
		c.Env = append(c.Env, name+"="+value)
	}
	for _, arg := range spec.Args {
		c.Args = append(c.Args, expansion.Expand(arg, known))
	}
	if err := k.root(c); err != nil {
		return c, err
	}
	for _, m := range spec.VolumeMounts {
		from, readOnly, err := k.volume(ctx, pod, m.Name)
		if err != nil {
			return c, err
		}
		sub := m.SubPath + expansion.Expand(m.SubPathExpr, known) // there is one of them at most
		c.Mounts = append(c.Mounts, mount{From: filepath.Join(from, sub), To: m.MountPath, ReadOnly: m.ReadOnly || readOnly})
	}
	return c, nil
}

// root makes what the image has, besides its program.
func (k *kubelet) root(c container) error {
	for _, name := range []string{"proc", "tmp", imageFolder} {
		if err := os.MkdirAll(filepath.Join(c.Root, name), 0o755); err != nil {
			return err
		}
	}
	if err := os.Chmod(filepath.Join(c.Root, "tmp"), 0o777|os.ModeSticky); err != nil {
		return err
	}
	return os.Chown(filepath.Join(c.Root, imageFolder), imageUser, imageUser)
}

// environment returns the variables of a container.
func environment(pod *core.Pod, spec core.Container) (map[string]string, error) {
	values := map[string]string{"PATH": "/usr/bin", "HOSTNAME": hostname(pod), "BROKERBENCH_OUT": imageFolder}
	for _, variable := range spec.Env {
		value := expansion.Expand(variable.Value, expansion.MappingFuncFor(values))
		if from := variable.ValueFrom; from != nil {
			if from.FieldRef == nil {
				return nil, fmt.Errorf("variable %s: this kubelet knows fields only", variable.Name)
			}
			var err error
			if value, err = fieldpath.ExtractFieldPathAsString(pod, from.FieldRef.FieldPath); err != nil {
				return nil, err
			}
		}
		values[variable.Name] = value
	}
	return values, nil
}

// command is a process that becomes the container.
func (k *kubelet) command(pod *core.Pod, c container) (*exec.Cmd, error) {
	text, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(k.folder(pod), "container.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return nil, err
	}
	log, err := os.Create(filepath.Join(k.folder(pod), "log"))
	cmd := exec.Command(k.enter, file)
	cmd.Env = []string{} // its own are in the file
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWUTS | syscall.CLONE_NEWIPC, Pdeathsig: syscall.SIGKILL}
	return cmd, err
}

// hostname is the name of a pod's machine.
func hostname(pod *core.Pod) string {
	name := pod.Name
	if pod.Spec.Hostname != "" {
		name = pod.Spec.Hostname
	}
	if full := pod.Spec.SetHostnameAsFQDN; full != nil && *full && pod.Spec.Subdomain != "" {
		name += "." + pod.Spec.Subdomain + "." + pod.Namespace + ".svc.cluster.local"
	}
	return name
}

// hosts is the file in which pods find names: in place of a DNS it has those that the
// tests need.
func (k *kubelet) hosts() string { return filepath.Join(k.dir, "hosts") }

func (k *kubelet) writeHosts(t *testing.T, lines ...string) {
	t.Helper()
	text := "127.0.0.1 localhost\n" + strings.Join(lines, "\n") + "\n"
	if err := os.WriteFile(k.hosts(), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func fsGroup(pod *core.Pod) int {
	if s := pod.Spec.SecurityContext; s != nil && s.FSGroup != nil {
		return int(*s.FSGroup)
	}
	return -1
}

package kubernetes_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// volume makes the folder of one of a pod's volumes. If what is to be in it is not there,
// that is the error.
func (k *kubelet) volume(ctx context.Context, pod *core.Pod, name string) (dir string, readOnly bool, err error) {
	dir = filepath.Join(k.folder(pod), "volumes", name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return dir, false, err
	}
	for _, v := range pod.Spec.Volumes {
		switch {
		case v.Name != name:
		case v.Secret != nil:
			return dir, true, k.secret(ctx, pod, v.Secret, dir)
		case v.ConfigMap != nil:
			return dir, true, k.configMap(ctx, pod, v.ConfigMap.Name, dir)
		case v.EmptyDir != nil:
			return dir, false, os.Chmod(dir, 0o777)
		case v.PersistentVolumeClaim != nil:
			dir, err = k.claim(ctx, pod, v.PersistentVolumeClaim.ClaimName)
			return dir, false, err
		}
	}
	return dir, false, fmt.Errorf("volume %s is of a kind that this kubelet does not know", name)
}

// secret writes a Secret's files, for root and the pod's group.
func (k *kubelet) secret(ctx context.Context, pod *core.Pod, v *core.SecretVolumeSource, dir string) error {
	s, err := k.client.CoreV1().Secrets(pod.Namespace).Get(ctx, v.SecretName, meta.GetOptions{})
	if err != nil {
		return err
	}
	mode := os.FileMode(0o644)
	if v.DefaultMode != nil {
		mode = os.FileMode(*v.DefaultMode)
	}
	for name, data := range s.Data {
		if err := write(filepath.Join(dir, name), data, mode, fsGroup(pod)); err != nil {
			return err
		}
	}
	return nil
}

func (k *kubelet) configMap(ctx context.Context, pod *core.Pod, name, dir string) error {
	c, err := k.client.CoreV1().ConfigMaps(pod.Namespace).Get(ctx, name, meta.GetOptions{})
	if err != nil {
		return err
	}
	for name, text := range c.Data {
		if err := write(filepath.Join(dir, name), []byte(text), 0o644, fsGroup(pod)); err != nil {
			return err
		}
	}
	return nil
}

// write writes a file that belongs to root and a group, -1 for root's.
func write(name string, data []byte, mode os.FileMode, group int) error {
	if err := os.WriteFile(name, data, mode); err != nil {
		return err
	}
	if err := os.Chmod(name, mode); err != nil { // whatever the umask is
		return err
	}
	return os.Chown(name, 0, max(group, 0))
}

// claim is the folder of the volume that a claim is bound to, writable by the pod's group.
func (k *kubelet) claim(ctx context.Context, pod *core.Pod, name string) (string, error) {
	c, err := k.client.CoreV1().PersistentVolumeClaims(pod.Namespace).Get(ctx, name, meta.GetOptions{})
	if err != nil {
		return "", err
	}
	v, err := k.client.CoreV1().PersistentVolumes().Get(ctx, c.Spec.VolumeName, meta.GetOptions{})
	if err != nil {
		return "", err
	}
	dir := v.Spec.HostPath.Path
	if err := os.Chown(dir, 0, max(fsGroup(pod), 0)); err != nil {
		return dir, err
	}
	return dir, os.Chmod(dir, 0o770|os.ModeSetgid)
}

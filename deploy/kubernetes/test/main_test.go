// Package kubernetes_test runs brokerbench on a real control plane: Kubernetes' own API
// server, scheduler, controllers and kubectl, built from its modules, each a process of
// this machine. Only the kubelet is replaced: it starts a pod's container as a process
// in separate namespaces. See README.md for the limits of these tests.
package kubernetes_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"k8s.io/component-base/cli"
	"k8s.io/kubectl/pkg/cmd"
	"k8s.io/kubectl/pkg/cmd/util"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllers "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
)

// TestMain makes of this program what its name says: it is linked to the names of all
// parts, see program.
func TestMain(m *testing.M) {
	switch filepath.Base(os.Args[0]) {
	case "etcd":
		end(etcd(os.Args[1], os.Args[2]))
	case "kube-apiserver":
		os.Exit(cli.Run(apiserver.NewAPIServerCommand()))
	case "kube-controller-manager":
		os.Exit(cli.Run(controllers.NewControllerManagerCommand()))
	case "kube-scheduler":
		os.Exit(cli.Run(scheduler.NewSchedulerCommand()))
	case "kubectl":
		if err := cli.RunNoErrOutput(cmd.NewDefaultKubectlCommand()); err != nil {
			util.CheckErr(err)
		}
	case "nats-server":
		end(natsServer(os.Args[1]))
	case "container":
		end(enter(os.Args[1]))
	default:
		os.Exit(m.Run())
	}
}

// end ends a part that came to its end, which none does in order.
func end(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// program returns the path of a part. dir is where links are made.
func program(t *testing.T, dir, name string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, name)
	if err := os.Symlink(self, path); err != nil && !os.IsExist(err) {
		t.Fatal(err)
	}
	return path
}

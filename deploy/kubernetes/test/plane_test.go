package kubernetes_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// startTimeout is generous: the machine may be busy with something else.
const startTimeout = 2 * time.Minute

// A plane is a control plane that runs.
type plane struct {
	dir        string
	kubeconfig string // its context is in the namespace of agents
	client     *kubernetes.Clientset
}

// startPlane starts a control plane, which ends with the test.
func startPlane(t *testing.T) *plane {
	t.Helper()
	p := &plane{dir: t.TempDir()}
	p.kubeconfig = filepath.Join(p.dir, "kubeconfig")
	etcd, port := "http://127.0.0.1:"+freePort(t), freePort(t)
	p.writeKeys(t)
	p.write(t, "tokens.csv", "test-token,admin,1,system:masters\n")
	p.write(t, "kubeconfig", fmt.Sprintf(kubeconfig, port))

	// The last to start ends first: without its etcd the API server takes long to end.
	p.start(t, "etcd", filepath.Join(p.dir, "data"), etcd)
	p.start(t, "kube-apiserver",
		"--etcd-servers="+etcd, "--bind-address=127.0.0.1", "--advertise-address=127.0.0.1", "--secure-port="+port,
		"--endpoint-reconciler-type=none", "--cert-dir="+filepath.Join(p.dir, "certificates"), "--service-cluster-ip-range=10.96.0.0/16",
		"--token-auth-file="+filepath.Join(p.dir, "tokens.csv"), "--authorization-mode=AlwaysAllow",
		"--service-account-issuer=https://kubernetes.default.svc", "--service-account-key-file="+filepath.Join(p.dir, "key.pem"),
		"--service-account-signing-key-file="+filepath.Join(p.dir, "key.pem"),
		// Nodes that are made by the API have no kubelet that would take their taint away.
		"--disable-admission-plugins=TaintNodesByCondition")

	var err error
	config := &rest.Config{
		Host: "https://127.0.0.1:" + port, BearerToken: "test-token", QPS: 100, Burst: 200,
		TLSClientConfig: rest.TLSClientConfig{Insecure: true}, // it made its certificate itself
	}
	if p.client, err = kubernetes.NewForConfig(config); err != nil {
		t.Fatal(err)
	}
	eventually(t, startTimeout, "the API server is ready", func() bool {
		return p.client.Discovery().RESTClient().Get().AbsPath("/readyz").Do(t.Context()).Error() == nil
	})
	p.start(t, "kube-controller-manager", "--kubeconfig="+p.kubeconfig, "--leader-elect=false", "--secure-port=0",
		"--controllers=job-controller,garbage-collector-controller,namespace-controller,serviceaccount-controller,"+
			"endpointslice-controller,persistentvolume-binder-controller")
	p.start(t, "kube-scheduler", "--kubeconfig="+p.kubeconfig, "--leader-elect=false", "--secure-port=0")
	return p
}

const kubeconfig = `apiVersion: v1
kind: Config
current-context: test
clusters: [{name: test, cluster: {server: "https://127.0.0.1:%s", insecure-skip-tls-verify: true}}]
contexts: [{name: test, context: {cluster: test, user: test, namespace: brokerbench}}]
users: [{name: test, user: {token: test-token}}]
`

// start starts this program as one of its parts. Its log is shown if the test fails.
func (p *plane) start(t *testing.T, name string, args ...string) {
	t.Helper()
	log, err := os.Create(filepath.Join(p.dir, name+".log"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program(t, p.dir, name), args...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		_ = log.Close()
		if t.Failed() {
			t.Logf("the end of %s:\n%s", log.Name(), tail(log.Name()))
		}
	})
}

// tail returns the last lines of a file.
func tail(name string) string {
	text, _ := os.ReadFile(name)
	return string(text[max(0, len(text)-3000):])
}

func (p *plane) write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// writeKeys writes the key of service accounts, without which the API server does not
// start.
func (p *plane) writeKeys(t *testing.T) {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	p.write(t, "key.pem", string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})))
}

func freePort(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// eventually waits until something is so.
func eventually(t *testing.T, most time.Duration, what string, so func() bool) {
	t.Helper()
	for end := time.Now().Add(most); !so(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within %v: %s", most, what)
		}
	}
}

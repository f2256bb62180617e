package kubernetes_test

import (
	"path/filepath"
	"strings"
	"testing"
)

// An API server accepts every manifest unchanged, with each key and each enumerated word,
// also in a namespace that enforces "restricted".
func TestTheServerTakesEveryManifest(t *testing.T) {
	p := startPlane(t)
	for _, folder := range []string{"run", "brokers"} {
		p.namespace(t, folder)
	}
	kustomizations, _ := filepath.Glob(filepath.Join(manifests, "*", "kustomization.yaml"))
	if len(kustomizations) < 2 {
		t.Fatalf("kustomizations %v", kustomizations)
	}
	what := [][]string{{"-f", filepath.Join(manifests, "fetch.yaml")}, {"-n", "brokers", "-f", filepath.Join(manifests, "brokers", "mosquitto.yaml")}}
	for _, file := range kustomizations {
		what = append(what, []string{"-k", filepath.Dir(file)})
	}
	for _, args := range what {
		said := p.kubectl(t, append([]string{"apply", "--server-side", "--dry-run=server", "--validate=strict"}, args...)...)
		if strings.Contains(said, "Warning") {
			t.Errorf("%v has warnings", args)
		}
		t.Logf("kubectl apply --dry-run=server %s:\n%s", strings.Join(args, " "), said)
	}
}

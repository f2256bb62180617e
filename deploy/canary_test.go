package deploy_test

import (
	"errors"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The alerts of the canary ask only for metrics that it serves, and promtool, if it is there, takes them.
func TestCanaryAlerts(t *testing.T) {
	text := read(t, "canary/alerts.yaml")
	served := regexp.MustCompile(`(?:canaryDesc\("|NewDesc\("brokerbench_canary_)(\w+)"`).FindAllStringSubmatch(read(t, "../cmd/internal/metrics/canary.go"), -1)
	asked := regexp.MustCompile(`brokerbench_canary_(\w+)`).FindAllStringSubmatch(text, -1)
	if len(served) < 7 || len(asked) < 7 {
		t.Fatalf("%d metrics are served, %d are asked for", len(served), len(asked))
	}
	for _, name := range asked {
		if !slices.ContainsFunc(served, func(s []string) bool { return s[1] == name[1] }) {
			t.Errorf("%s is not served", name[0])
		}
	}
	said, err := exec.CommandContext(t.Context(), "promtool", "check", "rules", "canary/alerts.yaml").CombinedOutput()
	if err != nil && (!errors.Is(err, exec.ErrNotFound) || os.Getenv("BROKERBENCH_FORMATS") != "") {
		t.Errorf("promtool: %v: %s", err, said)
	}
}

// The unit calls flags that exist, and is verified by systemd's own reader in deploy/check.
func TestCanaryUnit(t *testing.T) {
	unit := read(t, "canary/brokerbench-canary.service")
	for _, want := range []string{"brokerbench canary ${TARGET} --out %S/brokerbench-canary $FLAGS", "RestartPreventExitStatus=2", "StateDirectory=brokerbench-canary"} {
		if !strings.Contains(unit, want) {
			t.Errorf("the unit lacks %q", want)
		}
	}
}

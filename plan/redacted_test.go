package plan_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/plan"
)

func TestNoSecretIsInARedactedTarget(t *testing.T) {
	node := plan.Node{Name: "1", Command: []string{"a", "secret"}, Ready: []string{"secret"}}
	t1 := plan.Target{Name: "n", URL: "secret", System: &plan.System{Nodes: []plan.Node{node}, Helpers: []plan.Node{node}, Formed: []string{"secret"}}}
	text, err := json.Marshal(t1.Redacted(func(s string) string { return strings.ReplaceAll(s, "secret", "x") }))
	if err != nil || strings.Contains(string(text), "secret") || strings.Count(string(text), `"x"`) != 6 {
		t.Errorf("%s, %v", text, err)
	}
	if t1.System.Nodes[0].Command[1] != "secret" || t1.URL != "secret" {
		t.Error("the target itself has changed")
	}
}

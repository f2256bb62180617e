package plan_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/plan"
)

func TestSecretsOfFaultsAreRedacted(t *testing.T) {
	s := plan.Settings{Faults: []plan.Fault{{Do: plan.Run, Command: []string{"curl", "https://u:geheim@h/x"}}}}
	hidden := s.Redacted(func(text string) string { return strings.ReplaceAll(text, "geheim", "xxxxx") })
	if got, want := hidden.Faults[0].Command, []string{"curl", "https://u:xxxxx@h/x"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if s.Faults[0].Command[1] != "https://u:geheim@h/x" {
		t.Error("what is measured has changed")
	}
}

//go:build linux

package machine_test

import (
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/internal/machine"
)

func TestLoadAverages(t *testing.T) {
	if load := machine.ReadSystem("/").Load; len(strings.Fields(load)) != 3 {
		t.Errorf("load averages %q", load)
	}
}

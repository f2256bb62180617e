package brokertest

import (
	"slices"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
)

// LevelsOpen wants a broker to have every level of durability, the weakest first, and each
// to set options that the broker takes and that back the level.
func LevelsOpen[F requester.Factory](t *testing.T, open Open[F], url string, levels []target.Level) {
	t.Helper()
	var has []requester.Durability
	for _, level := range levels {
		has = append(has, level.Durability)
		if _, err := open(url+"?durability="+string(level.Durability), "run"); err != nil {
			t.Error(err)
		}
	}
	if !slices.Equal(has, requester.Durabilities()) {
		t.Errorf("levels %v", has)
	}
}

package histogram_test

import (
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
)

func TestExtremesAreThoseThatWereSaid(t *testing.T) {
	h := histogram.New()
	for _, v := range []time.Duration{1_000_001, 5_000_003} {
		h.Record(v / 1000 * 1000) // as a file has them, roughly
	}
	if err := h.SetExtremes(1_000_001, 5_000_003, 2); err != nil || h.Min() != 1_000_001 || h.Max() != 5_000_003 || h.Clamped() != 2 {
		t.Errorf("%v: %v to %v, %d clamped", err, h.Min(), h.Max(), h.Clamped())
	}
	if err := h.SetExtremes(time.Second, 2*time.Second, 0); err == nil || h.Max() != 5_000_003 {
		t.Errorf("%v, %v: a value is where none was", err, h.Max())
	}
	if err := histogram.New().SetExtremes(1, 2, 0); err != nil {
		t.Error(err)
	}
}

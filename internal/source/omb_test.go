package source_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/source"
)

// ombResult is a file with quantiles, and with fields that do not matter.
func ombResult(t *testing.T, quantiles string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "result.json")
	text := `{"workload": "w", "driver": "Kafka", "publishRate": [1.5], "aggregatedEndToEndLatencyAvg": 2.1, "aggregatedEndToEndLatencyMax": 12.4,
		"aggregatedPublishLatencyQuantiles": {"50.0": 1}, "aggregatedEndToEndLatencyQuantiles": ` + quantiles + `}`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestOMBResult(t *testing.T) {
	found, _, err := source.Find([]string{ombResult(t, `{"100.0": 12.0, "91.35": 2.0, "98.8114889402443": 3.0, "99.70287223506108": 4.0}`)})
	if err != nil || len(found) != 1 {
		t.Fatalf("%+v, %v", found, err)
	}
	s := found[0]
	if !s.Foreign() || s.Unit != time.Millisecond || s.Scale() != 1 {
		t.Errorf("%+v: want a foreign file of milliseconds", s)
	}
	if n := len(s.Table.Rows); n != 4 || s.Table.Rows[0].Percentile != 91.35 || s.Table.Rows[3].Value != 12 || s.Table.Max != 12.4 || s.Table.Mean != 2.1 {
		t.Errorf("%+v", s.Table)
	}
	// 99.7 % of fewer than 337 messages is no other number than the maximum.
	if s.Table.Count != 337 {
		t.Errorf("count %d, want 337", s.Table.Count)
	}
}

func TestOMBResultWithoutMessages(t *testing.T) {
	found, _, err := source.Find([]string{ombResult(t, `{}`)})
	if err != nil || found[0].Table.Count != 0 {
		t.Errorf("%+v, %v", found, err)
	}
}

func TestOMBResultsThatAreNone(t *testing.T) {
	for quantiles, want := range map[string]string{
		"null": "it is JSON without", `{"x": 1}`: `"x"`, `{"50": 2, "90": 1}`: "a higher percentage has a lower time", `{"101": 2}`: `"101"`, `{"50": -2}`: `"50"`, "{": "begins like",
	} {
		_, _, err := source.Find([]string{ombResult(t, quantiles)})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v, want one line with %q", quantiles, err, want)
		}
	}
}

package golden_test

import (
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/internal/leaf/golden"
)

// recorder is a test that records its failures.
type recorder struct {
	testing.TB
	failures []string
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, _ ...any) { r.failures = append(r.failures, format) }

func TestCheck(t *testing.T) {
	golden.Check(t, "hello.txt", "hello\n")
	r := &recorder{TB: t}
	if golden.Check(r, "hello.txt", "hullo\n"); len(r.failures) != 1 || !strings.Contains(r.failures[0], "-update") {
		t.Errorf("failures %q, want one that names -update", r.failures)
	}
}

package kafka

import (
	"flag"
	"testing"
)

// Tests that are parallel wait for timeouts, not for a core: many may do so at once.
func TestMain(m *testing.M) {
	flag.Parse()
	_ = flag.Set("test.parallel", "8")
	m.Run()
}

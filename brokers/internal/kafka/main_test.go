package kafka

import (
	"flag"
	"fmt"
	"os"
	"testing"
)

// Tests that are parallel wait for timeouts, not for a core: many may do so at once.
func TestMain(m *testing.M) {
	flag.Parse()
	_ = flag.Set("test.parallel", "8")
	code := m.Run()
	if err := sweep(late.url, late.runs...); err != nil {
		fmt.Fprintln(os.Stderr, "topics that were created late:", err)
		code = 1
	}
	os.Exit(code) //nolint:forbidigo // this is a main function
}

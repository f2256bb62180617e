package process_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/internal/leaf/process"
)

func TestTheLastLineIsKept(t *testing.T) {
	var said process.Tail
	if last := said.LastLine(); last != "" {
		t.Errorf("%q of no output", last)
	}
	for i := range 10_000 {
		if n, err := fmt.Fprintf(&said, "line %d\n\n", i); err != nil || n < 8 {
			t.Fatal(n, err)
		}
	}
	if last := said.LastLine(); last != "line 9999" {
		t.Errorf("got %q", last)
	}
	_, _ = said.Write([]byte(strings.Repeat("x", 1<<20) + "y"))
	if last := said.LastLine(); len(last) != 4096 || !strings.HasSuffix(last, "xy") {
		t.Errorf("got %d bytes", len(last))
	}
}

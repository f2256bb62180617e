package process_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/internal/process"
)

func TestTheLastLineIsKept(t *testing.T) {
	var said process.Said
	if last := said.Last(); last != "" {
		t.Errorf("nothing was said, but %q", last)
	}
	for i := range 10_000 {
		if n, err := fmt.Fprintf(&said, "line %d\n\n", i); err != nil || n < 8 {
			t.Fatal(n, err)
		}
	}
	if last := said.Last(); last != "line 9999" {
		t.Errorf("got %q", last)
	}
	_, _ = said.Write([]byte(strings.Repeat("x", 1<<20) + "y"))
	if last := said.Last(); len(last) != 4096 || !strings.HasSuffix(last, "xy") {
		t.Errorf("got %d bytes", len(last))
	}
}

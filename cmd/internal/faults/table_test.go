//go:build linux

package faults

import (
	"fmt"
	"io"
	"slices"
	"sync"
	"text/tabwriter"
	"time"
)

// A result is what a row of a lane came to.
type result struct {
	lane, fault string
	fell        bool // short
	took        time.Duration
}

func (r result) String() string {
	seconds := fmt.Sprintf("%.1f", r.took.Seconds())
	if r.fell {
		return "FELL SHORT " + seconds
	}
	return seconds
}

// A table is what all rows came to. It is safe for concurrent use.
type table struct {
	mu    sync.Mutex
	lanes []string // in their order
	rows  []string
	cells map[[2]string]result
}

func (t *table) add(r result) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !slices.Contains(t.rows, r.fault) {
		t.rows = append(t.rows, r.fault)
	}
	if t.cells == nil {
		t.cells = make(map[[2]string]result)
	}
	t.cells[[2]string{r.fault, r.lane}] = r
}

// print writes a line for each fault and a column for each lane: the seconds that it
// took where it held.
func (t *table) print(w io.Writer) {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	held, fell := 0, 0
	for _, lane := range t.lanes {
		fmt.Fprintf(out, "\t%s", lane)
	}
	fmt.Fprintln(out)
	for _, fault := range t.rows {
		fmt.Fprint(out, fault)
		for _, lane := range t.lanes {
			text := "·"
			if r, ok := t.cells[[2]string{fault, lane}]; ok {
				text = r.String()
				if r.fell {
					fell++
				} else {
					held++
				}
			}
			fmt.Fprintf(out, "\t%s", text)
		}
		fmt.Fprintln(out)
	}
	_ = out.Flush()
	fmt.Fprintf(w, "\nseconds that it took. %d held, %d fell short\n", held, fell)
}

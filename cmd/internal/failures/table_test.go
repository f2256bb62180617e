//go:build linux

package failures

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/brokerbench/brokerbench/results"
)

// A table is what all cells came to. It is safe for concurrent use.
type table struct {
	mu    sync.Mutex
	cells map[[2]string]*cell
}

func (t *table) add(c *cell) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.cells == nil {
		t.cells = make(map[[2]string]*cell)
	}
	t.cells[[2]string{c.fault.name, c.broker.name}] = c
}

// print writes the table as Markdown: a line for each fault, a column for each broker.
func (t *table) print(w io.Writer) {
	t.mu.Lock()
	defer t.mu.Unlock()
	fmt.Fprint(w, "\n| fault |")
	for _, b := range brokers() {
		fmt.Fprintf(w, " %s |", b.name)
	}
	fmt.Fprintf(w, "\n| :-- |%s\n", strings.Repeat(" :-- |", len(brokers())))
	held, witnessed, apart := 0, 0, time.Duration(0)
	for _, f := range faults() {
		fmt.Fprintf(w, "| %s |", f.name)
		for _, b := range brokers() {
			c := t.cells[[2]string{f.name, b.name}]
			fmt.Fprintf(w, " %v |", c)
			if c != nil && len(c.fell) == 0 {
				held++
			}
			if c != nil && c.witnessed {
				witnessed++
				apart = max(apart, c.apart)
			}
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "\noutage of acknowledgements/deliveries in s (<: none of more than that) · failed · lost · acknowledged and lost\n%d of %d held\n", held, len(t.cells))
	fmt.Fprintf(w, "the witness: %d cells, acknowledged and lost to the message, outages within %v\n", witnessed, apart.Round(time.Millisecond))
}

// String says what became of the messages.
func (c *cell) String() string {
	if c == nil {
		return "–"
	}
	if c.got == nil || len(c.got.Faults) != 1 || c.got.Faults[0].Impact == nil {
		return "NOT MEASURED"
	}
	h := c.got.Faults[0].Impact
	lost := "?"
	if h.AckedLost != nil {
		lost = fmt.Sprint(*h.AckedLost)
	}
	text := fmt.Sprintf("%s/%s · %d · %d · %s", length(h.Acks), length(h.Deliveries), h.Failed, h.Lost, lost)
	if len(c.fell) > 0 {
		text += " FELL SHORT"
	}
	return text
}

// length says how long an outage was, or can have been at most.
func length(o *results.Outage) string {
	if o == nil {
		return "–"
	}
	text := fmt.Sprintf("%.1f", o.For().Round(100*time.Millisecond).Seconds())
	switch {
	case !o.Shown:
		return "<" + fmt.Sprintf("%.2g", o.For().Seconds())
	case !o.Over():
		return ">" + text
	}
	return text
}

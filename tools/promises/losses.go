//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/witness"
	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/results"
)

// A loss is a fault that may lose messages.
type loss struct {
	do, node string
	restart  string // long enough for another node to take over
	nodes    int    // that it needs
}

var losses = []loss{{"kill", "1", "1s", 1}, {"wipe", "1", "6s", 1}, {"wipe", "all", "2s", 3}}

// size is that of a message.
const size = 1024

// lose measures a broker that brokerbench starts, and counts the acknowledged messages that a fault
// destroys, beside a witness.
func (b bench) lose(ctx context.Context, name string, level requester.Durability, nodes int, l loss, options string) string {
	if nodes < l.nodes || level == requester.None { // which acknowledges nothing
		return "–"
	}
	target := fmt.Sprintf("local:%s,nodes=%d,durability=%s?%s", name, nodes, level, options)
	if name == "rabbitmq4" { // which forgets what was on its way to a consumer without acknowledgements
		target += "&prefetch=1000"
	}
	fmt.Fprintf(os.Stderr, "promises: %s %s of %s\n", l.do, l.node, target)
	var w *witness.Witness
	deaf := error(nil)
	cells, said, err := b.watched(ctx, func(pid int) { w, deaf = witness.Listen(pid, size) }, "fault",
		"--rate", "500", "--size", strconv.Itoa(size), "--"+l.do, l.node, "--for", l.restart, "--at", b.at.String(), target)
	var seen witness.Events
	if deaf == nil && w != nil {
		seen, deaf = w.Stop()
	}
	switch {
	case err != nil:
		return "not measured: " + err.Error()
	case len(cells) == 0 || cells[0].Audit == nil:
		return "not measured: " + said[strings.LastIndex(said, "\n")+1:]
	case deaf != nil:
		return answer(cells[0].Audit) + ", no witness"
	}
	return answer(cells[0].Audit) + confirmation(cells[0], seen)
}

// confirmation says whether a witness counts as the audit of a cell does.
func confirmation(c *results.Cell, seen witness.Events) string {
	a := c.Audit
	acked, missing := seen.Audit(c.Started.Add(time.Duration(c.ElapsedNS)), a.Taken)
	if int64(acked) == a.Acked && int64(missing) == a.Missing {
		return " ✓"
	}
	return fmt.Sprintf(", the witness: %s of %s", words.Count(int64(missing)), words.Count(int64(acked)))
}

// answer counts the missing messages of an audit.
func answer(a *results.Audit) string {
	if a.Error != "" {
		return "not decided: " + a.Error
	}
	return words.Count(a.Missing) + " of " + words.Count(a.Acked)
}

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
	disk     string // the size of each node's disk; "": they share that of this machine
	fresh    bool   // of power-off: nothing is synced before
}

var losses = []loss{{do: "kill", node: "1", restart: "1s", nodes: 1}, {do: "wipe", node: "1", restart: "6s", nodes: 1}, {do: "wipe", node: "all", restart: "2s", nodes: 3}}

// size is that of a message.
const size = 1024

// An outcome is what a fault did to the acknowledged messages of a cell.
type outcome struct {
	version string         // of the broker
	audit   *results.Audit // nil: problem says why
	problem string
	witness string // what the witness counted, as the table says it
}

// String returns the outcome as the table has it.
func (o outcome) String() string {
	switch {
	case o.audit == nil:
		return "not measured: " + o.problem
	case o.audit.Error != "":
		return "not decided: " + o.audit.Error
	}
	return words.Count(o.audit.Missing) + " of " + words.Count(o.audit.Acked) + o.witness
}

// lose measures a broker that brokerbench starts, and counts the acknowledged messages that a fault
// destroys, beside a witness. ok is false if the level or the number of nodes has no such fault.
func (b bench) lose(ctx context.Context, name string, level requester.Durability, nodes int, l loss, options string) (o outcome, ok bool) {
	if nodes < l.nodes || level == requester.None { // which acknowledges nothing
		return o, false
	}
	target := fmt.Sprintf("local:%s,nodes=%d,durability=%s", name, nodes, level)
	if l.disk != "" {
		target += ",data=" + l.disk
	}
	target += "?" + options
	if strings.HasPrefix(name, "rabbitmq") { // which forgets what was on its way to a consumer without acknowledgements
		target += "&prefetch=1000"
	}
	fmt.Fprintf(os.Stderr, "promises: %s %s of %s\n", l.do, l.node, target)
	var w *witness.Witness
	deaf := error(nil)
	args := []string{"--rate", "500", "--size", strconv.Itoa(size), "--" + l.do, l.node, "--for", l.restart, "--at", b.at.String(), target}
	if l.fresh {
		args = append(args, "--fresh")
	}
	cells, said, err := b.watched(ctx, func(pid int) { w, deaf = witness.Listen(pid, size) }, "fault", args...)
	var seen witness.Events
	if deaf == nil && w != nil {
		seen, deaf = w.Stop()
	}
	if len(cells) > 0 {
		o.version = version(cells[0])
	}
	switch {
	case err != nil:
		o.problem = err.Error()
	case len(cells) == 0 || cells[0].Audit == nil:
		o.problem = said[strings.LastIndex(said, "\n")+1:]
	case deaf != nil:
		o.audit, o.witness = cells[0].Audit, ", no witness"
	default:
		o.audit, o.witness = cells[0].Audit, confirmation(cells[0], seen)
	}
	return o, true
}

// confirmed is what the table says if a witness counts as the audit does.
const confirmed = " ✓"

// confirmation says whether a witness counts as the audit of a cell does.
func confirmation(c *results.Cell, seen witness.Events) string {
	a := c.Audit
	acked, missing := seen.Audit(c.Started.Add(time.Duration(c.ElapsedNS)), a.Taken)
	if int64(acked) == a.Acked && int64(missing) == a.Missing {
		return confirmed
	}
	return fmt.Sprintf(", the witness: %s of %s", words.Count(int64(missing)), words.Count(int64(acked)))
}

package traffic

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/prometheus/procfs"
	"golang.org/x/sys/unix"

	"github.com/brokerbench/brokerbench/internal/process"
)

const (
	perLook = 10 // calls: connections that begin in between are found by the next look
	perRest = 64 // connections that are asked for without a rest
)

// Count returns what the connections of each node's processes have carried since the last call,
// nil for a node of which it cannot be seen; the first call only begins. The nodes are the same
// ones, in the same order, in each call. It calls rest, which waits for some milliseconds,
// between things that take long.
func (w *Watch) Count(nodes [][]process.ID, rest func()) []*Bytes {
	if w.nodes == nil {
		w.nodes, w.calm = make([]node, len(nodes)), perLook
	}
	for i := range nodes {
		if !slices.Equal(w.nodes[i].processes, nodes[i]) {
			w.nodes[i].processes, w.calm = nodes[i], 0
		}
	}
	if w.calls%perLook == 0 || w.calm < perLook {
		w.look(rest)
	}
	w.calls++
	here := make(dialled)
	defer here.close()
	grown := make([]*Bytes, len(nodes))
	for i := range w.nodes {
		if n := &w.nodes[i]; !n.unknown {
			grown[i] = w.count(n, here, rest)
		}
	}
	return grown
}

// count returns what the connections of a node have carried since the last call, and forgets
// those that have ended.
func (w *Watch) count(n *node, here dialled, rest func()) *Bytes {
	sum, asked := new(Bytes), 0
	for id, c := range n.open {
		now, err := here.ask(c)
		if err != nil {
			delete(n.open, id)
			w.calm = 0 // it may be replaced
			continue
		}
		sum.Sent += now.Sent - c.carried.Sent
		sum.Received += now.Received - c.carried.Received
		c.carried = now
		n.open[id] = c
		if asked++; asked%perRest == 0 {
			rest()
		}
	}
	return sum
}

// look finds the connections of all nodes.
func (w *Watch) look(rest func()) {
	places := make(map[string]*place)
	found := make([]map[socketID]connection, len(w.nodes))
	for i := range w.nodes {
		n := &w.nodes[i]
		n.unknown, found[i] = false, make(map[socketID]connection)
		for _, p := range n.processes {
			if err := join(places, p, i); err != nil && p.Alive() {
				n.unknown = true
			}
			rest()
		}
	}
	for name, each := range places {
		if err := each.survey(name, found, rest); err != nil {
			for _, i := range each.owners {
				w.nodes[i].unknown = true
			}
		}
	}
	w.calm++
	for i := range w.nodes {
		if w.nodes[i].take(found[i]) {
			w.calm = 0
		}
	}
	if w.calls == 0 {
		w.calm = perLook // what is there when all begins is no change
	}
}

// take takes what was found of a node, and tells whether anything is new.
func (n *node) take(found map[socketID]connection) (changed bool) {
	for id, c := range found {
		switch old, known := n.open[id]; {
		case known:
			c.carried = old.carried
		case n.began:
			c.carried, changed = Bytes{}, true
		}
		found[id] = c
	}
	n.open, n.began = found, true
	return changed
}

// A place is a network namespace in which processes of nodes are.
type place struct {
	pid    int            // one of them
	owners map[uint32]int // which node has a socket, by its inode
}

// join adds the sockets of a process of a node.
func join(places map[string]*place, p process.ID, node int) error {
	name, err := os.Readlink(fmt.Sprintf("/proc/%d/ns/net", p.PID))
	if err != nil {
		return err
	}
	proc, err := procfs.NewProc(p.PID)
	if err != nil {
		return err
	}
	files, err := proc.FileDescriptorTargets()
	if err != nil {
		return err
	}
	if places[name] == nil {
		places[name] = &place{pid: p.PID, owners: make(map[uint32]int)}
	}
	for _, f := range files {
		number, is := strings.CutPrefix(strings.TrimSuffix(f, "]"), "socket:[")
		if inode, err := strconv.ParseUint(number, 10, 32); is && err == nil {
			places[name].owners[uint32(inode)] = node
		}
	}
	return nil
}

// survey finds the connections of a place.
func (p *place) survey(name string, found []map[socketID]connection, rest func()) error {
	d, err := dial(name, p.pid)
	if err != nil {
		return err
	}
	defer d.close()
	take := func(c connection) {
		if i, ok := p.owners[c.inode]; ok {
			c.place, c.pid = name, p.pid
			found[i][c.id] = c
		}
	}
	return errors.Join(d.each(unix.AF_INET, rest, take), d.each(unix.AF_INET6, rest, take))
}

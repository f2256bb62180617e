package traffic

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/brokerbench/brokerbench/internal/process"
)

const (
	perLook = 10 // calls: connections that begin in between are found by the next look
	perRest = 64 // connections that are asked for without a rest
)

// Count returns what the connections of each node's processes have carried since the last call,
// nil for a node of which it cannot be seen, or could not be in the last call; the first call
// only begins. The nodes are the same ones, in the same order, in each call. It calls rest,
// which waits for some milliseconds, between things that take long.
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
		n, missed := &w.nodes[i], w.nodes[i].missed
		n.missed = true
		if n.unknown {
			continue
		}
		sum, err := w.count(n, here, rest)
		if len(n.processes) == 0 {
			sum = Bytes{} // the kernel may still send what is left of those that have ended
		}
		if n.missed = err != nil; !n.missed && !missed {
			grown[i] = &sum
		}
	}
	return grown
}

// count returns what the connections of a node have carried since the last call, and forgets
// those that have ended. After an error all are kept.
func (w *Watch) count(n *node, here dialled, rest func()) (sum Bytes, failed error) {
	asked := 0
	for id, c := range n.open {
		if asked++; asked%perRest == 0 {
			rest()
		}
		switch now, err := here.ask(c); {
		case err == nil:
			sum.Sent += now.Sent - c.carried.Sent
			sum.Received += now.Received - c.carried.Received
			c.carried = now
			n.open[id] = c
		case errors.Is(err, errGone):
			delete(n.open, id)
			w.calm = 0 // it may be replaced
		default:
			failed = err
		}
	}
	return sum, failed
}

// look finds the connections of all nodes.
func (w *Watch) look(rest func()) {
	places := make(map[string]*place)
	found := make([]map[socketID]connection, len(w.nodes))
	unknown := make([]bool, len(w.nodes))
	for i := range w.nodes {
		found[i] = make(map[socketID]connection)
		for _, p := range w.nodes[i].processes {
			if err := join(places, p, i, rest); err != nil && !gone(p, err) {
				unknown[i] = true
			}
			rest()
		}
	}
	for name, each := range places {
		if err := each.survey(name, found, rest); err != nil && !errors.Is(err, errGone) {
			for _, i := range each.owners {
				unknown[i] = true
			}
		}
	}
	w.calm++
	w.take(found, unknown)
	if w.calls == 0 {
		w.calm = perLook // what is there when all begins is no change
	}
}

// gone tells whether a process cannot be seen because it has ended. Without a free file
// descriptor it cannot be asked whether it lives.
func gone(p process.ID, err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ESRCH) || errors.Is(err, fs.ErrPermission) && !p.Alive()
}

// take takes what was found of the nodes. Of a node of which not all could be seen it takes
// nothing: what is not found is not gone, and would seem to be new when it is found again.
func (w *Watch) take(found []map[socketID]connection, unknown []bool) {
	for i := range w.nodes {
		if n := &w.nodes[i]; n.unknown != unknown[i] {
			n.unknown, w.calm = unknown[i], 0
		}
		for id, c := range found[i] {
			switch old, known := w.known(i, id); {
			case known:
				c.carried = old.carried
			case w.nodes[i].began:
				c.carried, w.calm = Bytes{}, 0
			}
			found[i][id] = c
		}
	}
	for i := range w.nodes {
		n := &w.nodes[i]
		if unknown[i] {
			continue
		}
		for id, c := range n.open {
			if _, ok := found[i][id]; !ok && !holds(found, id) {
				found[i][id] = c // until the kernel says that it has ended
			}
		}
		n.open, n.began = found[i], true
	}
}

// known returns a connection that a node had, or else another one.
func (w *Watch) known(node int, id socketID) (c connection, ok bool) {
	c, ok = w.nodes[node].open[id]
	for i := 0; i < len(w.nodes) && !ok; i++ {
		c, ok = w.nodes[i].open[id]
	}
	return c, ok
}

// holds tells whether a connection was found.
func holds(found []map[socketID]connection, id socketID) bool {
	return slices.ContainsFunc(found, func(of map[socketID]connection) bool { _, ok := of[id]; return ok })
}

// A place is a network namespace in which processes of nodes are.
type place struct {
	pids   []int          // of them
	owners map[uint32]int // which node has a socket, by its inode
}

// join adds the sockets of a process of a node.
func join(places map[string]*place, p process.ID, node int, rest func()) error {
	name, err := namespaceOf(p.PID)
	if err != nil {
		return err
	}
	if places[name] == nil {
		places[name] = &place{owners: make(map[uint32]int)}
	}
	there := places[name]
	there.pids = append(there.pids, p.PID)
	return sockets(p.PID, rest, func(inode uint32) { there.owners[inode] = node })
}

// sockets calls f with the inode of each socket that a process has, and rest after some of its
// file descriptors, of which there may be tens of thousands.
func sockets(pid int, rest func(), f func(inode uint32)) error {
	folder, err := os.Open(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		return err
	}
	defer folder.Close()
	var text [64]byte // more is no socket's
	for {
		names, err := folder.Readdirnames(perRest)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		for _, name := range names {
			n, _ := unix.Readlinkat(int(folder.Fd()), name, text[:]) // one that was closed is none
			number, is := strings.CutPrefix(strings.TrimSuffix(string(text[:max(0, n)]), "]"), "socket:[")
			if inode, err := strconv.ParseUint(number, 10, 32); is && err == nil {
				f(uint32(inode))
			}
		}
		rest()
	}
}

// survey finds the connections of a place.
func (p *place) survey(name string, found []map[socketID]connection, rest func()) error {
	d, err := dial(name, p.pids)
	if err != nil {
		return err
	}
	defer d.close()
	take := func(c connection) {
		if i, ok := p.owners[c.inode]; ok {
			c.place, c.pids = name, p.pids
			found[i][c.id] = c
		}
	}
	if err := d.each(unix.AF_INET, rest, take); err != nil {
		return err
	}
	return d.each(unix.AF_INET6, rest, take)
}

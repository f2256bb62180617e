//go:build linux

package witness

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// fresh is the time between two readings of the kernel's table.
const fresh = 100 * time.Millisecond

// recognise finds out to which process new connections belong, if it is time.
func (w *Witness) recognise() {
	if len(w.unknown) > 0 && time.Since(w.listed) >= fresh {
		w.list()
		w.listed = time.Now()
	}
}

// list decides about the connections whose sockets are files of a process. A socket that is none is
// being closed; a connection that ended before is not in the table.
func (w *Witness) list() {
	sockets := w.sockets()
	ours := make(map[string]bool)
	addFiles(ours, w.pid)
	for f, t := range w.unknown {
		switch inode := sockets[f]; {
		case ours[inode]:
			delete(w.unknown, f)
			t.adopt(true)
		case inode == "" && time.Since(t.began) > time.Second:
			delete(w.unknown, f) // see settle
		}
	}
	if len(w.unknown) == 0 {
		return
	}
	all := make(map[string]bool)
	processes, _ := filepath.Glob("/proc/[0-9]*")
	for _, process := range processes {
		if pid, err := strconv.Atoi(filepath.Base(process)); err == nil && pid != w.pid {
			addFiles(all, pid)
		}
	}
	for f, t := range w.unknown {
		if all[sockets[f]] {
			delete(w.unknown, f)
			t.adopt(false)
		}
	}
}

// sockets returns the inodes of the kernel's table. A port of one end may have several connections.
func (w *Witness) sockets() map[flow]string {
	sockets := make(map[flow]string)
	table, _ := os.ReadFile(fmt.Sprintf("/proc/%d/net/tcp", w.pid))
	for line := range strings.Lines(string(table)) {
		words := strings.Fields(line)
		if len(words) < 10 || words[9] == "0" {
			continue
		}
		from, fromErr := listed(words[1])
		to, toErr := listed(words[2])
		if fromErr == nil && toErr == nil {
			sockets[flow{from, to}] = words[9]
		}
	}
	return sockets
}

// listed reads an end of a connection in the kernel's table, whose address is in its own byte order.
func listed(text string) (e [6]byte, err error) {
	address, port, _ := strings.Cut(text, ":")
	a, err := strconv.ParseUint(address, 16, 32)
	p, portErr := strconv.ParseUint(port, 16, 16)
	binary.NativeEndian.PutUint32(e[:], uint32(a))
	binary.BigEndian.PutUint16(e[4:], uint16(p))
	return e, errors.Join(err, portErr)
}

// addFiles adds the inodes of the sockets that are files of a process.
func addFiles(inodes map[string]bool, pid int) {
	dir := "/proc/" + strconv.Itoa(pid) + "/fd/"
	entries, _ := os.ReadDir(dir)
	for _, entry := range entries {
		at, _ := os.Readlink(dir + entry.Name())
		if inode, ok := strings.CutPrefix(at, "socket:["); ok {
			inodes[strings.TrimSuffix(inode, "]")] = true
		}
	}
}

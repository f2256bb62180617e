//go:build linux

package witness

import (
	"encoding/binary"
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
		switch inode := sockets[f.from]; {
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
		if all[sockets[f.from]] {
			delete(w.unknown, f)
			t.adopt(false)
		}
	}
}

// sockets returns the inodes of the kernel's table by their ends of connections.
func (w *Witness) sockets() map[[6]byte]string {
	sockets := make(map[[6]byte]string)
	table, _ := os.ReadFile(fmt.Sprintf("/proc/%d/net/tcp", w.pid))
	for line := range strings.Lines(string(table)) {
		words := strings.Fields(line)
		if len(words) < 10 || words[9] == "0" {
			continue
		}
		address, port, _ := strings.Cut(words[1], ":")
		a, err := strconv.ParseUint(address, 16, 32) // in the kernel's own byte order
		p, portErr := strconv.ParseUint(port, 16, 16)
		if err == nil && portErr == nil {
			var e [6]byte
			binary.NativeEndian.PutUint32(e[:], uint32(a))
			binary.BigEndian.PutUint16(e[4:], uint16(p))
			sockets[e] = words[9]
		}
	}
	return sockets
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

package doctor

import (
	"cmp"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/brokerbench/brokerbench/internal/machine/cgroup"
)

// The needs of a connection. A client may use two sockets for one connection (Redis),
// Kafka's uses three; some files are open besides. With nats.go its buffers are
// 41 kB (docs/performance.md).
const (
	socketsEach  = 2
	otherFiles   = 64
	memoryEach   = 64 << 10
	memoryAlways = 128 << 20
	inFlightEach = 16 // messages of one connection in memory at once, for an estimate
)

// sockets returns how many are open at once.
func (n Needs) sockets() int { return n.Connections * cmp.Or(n.Sockets, socketsEach) }

// Files returns how many files are open at once, sockets included.
func (n Needs) Files() int { return n.sockets() + otherFiles }

// openFiles judges a limit of open files.
func openFiles(limit uint64, known bool, needs Needs) Finding {
	if !known {
		return unknown("open files", "the system does not tell")
	}
	want := uint64(needs.Files())
	value := fmt.Sprintf("%d allowed, %d wanted: connections %d, sockets %d", limit, want, needs.Connections, needs.sockets())
	return judge("open files", value, limit >= want, fmt.Sprintf("ulimit -n %d, or LimitNOFILE= of the service", want))
}

// ports compares the local ports with the connections, if all go to one broker.
func ports(root fs.FS, needs Needs) Finding {
	text, ok := line(root, "proc/sys/net/ipv4/ip_local_port_range")
	var first, last int
	if n, _ := fmt.Sscan(text, &first, &last); !ok || n != 2 || last < first {
		return unknown("local ports", "the system does not tell")
	}
	all, used, want := last-first+1, socketsInUse(root), needs.sockets()
	value := fmt.Sprintf("%d, %d sockets in use or waiting, %d wanted", all, used, want)
	return judge("local ports", value, all-used >= want, "sysctl -w net.ipv4.ip_local_port_range='1024 65535'")
}

// socketsInUse returns the TCP sockets in use and in TIME_WAIT, 0 if unknown.
func socketsInUse(root fs.FS) (n int) {
	fields := strings.Fields(entry(root, "proc/net/sockstat", "TCP"))
	for i := 0; i+1 < len(fields); i += 2 {
		if fields[i] == "inuse" || fields[i] == "tw" {
			v, _ := strconv.Atoi(fields[i+1]) // not a number counts as 0
			n += v
		}
	}
	return n
}

// memory compares the available memory with an estimate: a fixed part, the buffers
// of each connection, and some of its messages.
func memory(root fs.FS, needs Needs) Finding {
	available, ok := meminfo(root, "MemAvailable")
	if !ok {
		return unknown("memory", "the system does not tell")
	}
	want := int64(memoryAlways + needs.Connections*(memoryEach+inFlightEach*needs.Size))
	remedy, where := "fewer connections, smaller messages, or more memory", ""
	if left, limited := cgroup.Find(root, "memory").MemoryLeft(); limited && left < available {
		available, where = left, " in the cgroup"
		remedy = "raise the cgroup's limit (docker -m, systemd MemoryMax=, kubernetes limits.memory), or fewer connections"
	}
	value := fmt.Sprintf("%s available%s, some %s wanted", mebibytes(available), where, mebibytes(want))
	return judge("memory", value, available >= want, remedy)
}

func swap(root fs.FS) Finding {
	total, ok1 := meminfo(root, "SwapTotal")
	free, ok2 := meminfo(root, "SwapFree")
	if !ok1 || !ok2 {
		return unknown("swap", "the system does not tell")
	}
	if total == 0 {
		return good("swap", "none")
	}
	return judge("swap", fmt.Sprintf("%d of %d MiB in use", (total-free)>>20, total>>20), total == free, "swapoff -a, once there is memory enough")
}

// meminfo reads a line of /proc/meminfo, in bytes.
func meminfo(root fs.FS, name string) (bytes int64, ok bool) {
	kilobytes, err := strconv.ParseInt(strings.TrimSuffix(entry(root, "proc/meminfo", name), " kB"), 10, 64)
	return kilobytes << 10, err == nil
}

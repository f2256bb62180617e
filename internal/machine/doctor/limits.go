package doctor

import (
	"cmp"
	"fmt"

	"github.com/brokerbench/brokerbench/internal/machine"
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

// CheckFiles returns an error if this process surely may not open the files that the connections
// need: each takes all of its sockets but one that not every broker makes it open.
func (n Needs) CheckFiles() error {
	limit, known := fileLimit()
	if least := n.Connections*max(1, n.Sockets-1) + otherFiles; !known || uint64(least) <= limit {
		return nil
	}
	return fmt.Errorf("this process may open %d files: %s", limit, n.FilesRemedy())
}

// FilesRemedy says how many files the connections need, and how to allow them.
func (n Needs) FilesRemedy() string {
	return fmt.Sprintf("%d connections need some %d open files: ulimit -n %[2]d, LimitNOFILE= of the service, or fewer connections", n.Connections, n.Files())
}

// descriptors judges the limit of open files of this process.
func descriptors(needs Needs) Finding {
	limit, known := fileLimit()
	return openFiles(limit, known, needs)
}

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
func ports(s machine.System, needs Needs) Finding {
	if len(s.Ports) != 2 || s.Ports[1] < s.Ports[0] {
		return unknown("local ports", "the system does not tell")
	}
	all, used, want := s.Ports[1]-s.Ports[0]+1, s.Sockets, needs.sockets()
	value := fmt.Sprintf("%d, %d sockets in use or waiting, %d wanted", all, used, want)
	return judge("local ports", value, all-used >= want, "sysctl -w net.ipv4.ip_local_port_range='1024 65535'")
}

// memory compares the available memory with an estimate: a fixed part, the buffers
// of each connection, and some of its messages.
func memory(s machine.System, needs Needs) Finding {
	if s.Memory.MemAvailableBytes == nil {
		return unknown("memory", "the system does not tell")
	}
	available := int64(*s.Memory.MemAvailableBytes)
	want := int64(memoryAlways + needs.Connections*(memoryEach+inFlightEach*needs.Size))
	remedy, where := "fewer connections, smaller messages, or more memory", ""
	if left, limited := cgroup.Find(s.Root, "memory").MemoryLeft(); limited && left < available {
		available, where = left, " in the cgroup"
		remedy = "raise the cgroup's limit (docker -m, systemd MemoryMax=, kubernetes limits.memory), or fewer connections"
	}
	value := fmt.Sprintf("%s available%s, some %s wanted", mebibytes(available), where, mebibytes(want))
	return judge("memory", value, available >= want, remedy)
}

func swap(s machine.System) Finding {
	total, free := s.Memory.SwapTotalBytes, s.Memory.SwapFreeBytes
	if total == nil || free == nil {
		return unknown("swap", "the system does not tell")
	}
	if *total == 0 {
		return good("swap", "none")
	}
	value := fmt.Sprintf("%d of %d MiB in use", (*total-*free)>>20, *total>>20)
	return judge("swap", value, *total == *free, "swapoff -a, once there is memory enough")
}

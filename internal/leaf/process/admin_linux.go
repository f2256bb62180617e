package process

import (
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// Admin reports whether this process may mount file systems and shut them down: whether it has CAP_SYS_ADMIN
// in the first user namespace. Root in a container has not, unless the container is privileged.
func Admin() bool {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var sets [2]unix.CapUserData // of the capabilities 0 to 31, and of the rest
	if unix.Capget(&header, &sets[0]) != nil || sets[0].Effective&(1<<unix.CAP_SYS_ADMIN) == 0 {
		return false
	}
	users, err := os.ReadFile("/proc/self/uid_map")
	return err == nil && strings.Join(strings.Fields(string(users)), " ") == "0 0 4294967295"
}

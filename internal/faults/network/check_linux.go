package network

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// mayMake returns an error without the permission to make networks and namespaces.
func mayMake() error {
	var found [2]unix.CapUserData
	if err := unix.Capget(&unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}, &found[0]); err != nil {
		return fmt.Errorf("asking what this process may do: %w", err)
	}
	for _, needed := range []int{unix.CAP_NET_ADMIN, unix.CAP_SYS_ADMIN} {
		if found[needed/32].Effective&(1<<(needed%32)) == 0 {
			return errors.New("only root makes network namespaces (CAP_NET_ADMIN and CAP_SYS_ADMIN)")
		}
	}
	return nil
}

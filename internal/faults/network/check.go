package network

import (
	"errors"
	"fmt"
	"os/exec"

	"github.com/prometheus/procfs"
)

// Check returns why this process cannot make a network of namespaces, and what would help; nil if
// nothing is known that keeps it from it.
func Check() error {
	if err := mayMake(); err != nil {
		return err
	}
	var errs []error
	for _, tool := range []struct{ name, of string }{{"ip", "iproute2"}, {"tc", "iproute2"}, {"nft", "nftables"}, {"nsenter", "util-linux"}} {
		if _, err := exec.LookPath(tool.name); err != nil {
			errs = append(errs, fmt.Errorf("the command %s is missing: install %s", tool.name, tool.of))
		}
	}
	return errors.Join(errs...)
}

// mayMake returns an error without the permission to make networks and namespaces.
func mayMake() error {
	const needed = 1<<12 | 1<<21 // CAP_NET_ADMIN and CAP_SYS_ADMIN
	self, err := procfs.Self()
	if err != nil {
		return errors.New("only Linux has network namespaces")
	}
	status, err := self.NewStatus()
	if err != nil {
		return fmt.Errorf("asking what this process may do: %w", err)
	}
	if status.CapEff&needed != needed {
		return errors.New("only root makes network namespaces (CAP_NET_ADMIN and CAP_SYS_ADMIN)")
	}
	return nil
}

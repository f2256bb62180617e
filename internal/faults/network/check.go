package network

import (
	"errors"
	"fmt"
	"os/exec"
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

//go:build !linux

package guardian

import "fmt"

func unmount(folder string) error {
	return fmt.Errorf("unmounting %s: not supported on this system", folder)
}

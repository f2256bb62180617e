//go:build !linux

package redis

import "net"

// wakeAt is not known here.
func wakeAt(*net.TCPConn, int) (ok bool) { return false }

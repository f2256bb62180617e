package redis

import (
	"net"
	"syscall"
)

// wakeAt makes the kernel say that a socket can be read when so many bytes have come, or when it
// has ended. It reads no less when asked.
func wakeAt(socket *net.TCPConn, bytes int) (ok bool) {
	raw, err := socket.SyscallConn()
	if err != nil {
		return false
	}
	err = raw.Control(func(fd uintptr) {
		ok = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVLOWAT, bytes) == nil
	})
	return ok && err == nil
}

package redis

import (
	"net"

	"golang.org/x/sys/unix"
)

// wakeAt makes the kernel say that a socket can be read when so many bytes have come, or when it
// has ended. It reads no less when asked.
func wakeAt(socket *net.TCPConn, bytes int) (ok bool) {
	raw, err := socket.SyscallConn()
	if err != nil {
		return false
	}
	err = raw.Control(func(fd uintptr) {
		ok = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_RCVLOWAT, bytes) == nil
	})
	return ok && err == nil
}

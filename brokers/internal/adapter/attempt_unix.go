//go:build unix

package adapter

import (
	"errors"
	"os"
	"syscall"
)

// An attempt writes to a pipe as much as there is room for. It allocates nothing.
type attempt struct {
	pipe  syscall.RawConn
	try   func(fd uintptr) bool
	bytes []byte
	n     int
	err   error
}

func (a *attempt) init(f *os.File) {
	a.pipe, a.err = f.SyscallConn()
	a.try = func(fd uintptr) bool {
		a.n, a.err = syscall.Write(int(fd), a.bytes)
		return true
	}
}

// write returns how many bytes it wrote.
func (a *attempt) write(bytes []byte) (n int, err error) {
	if a.pipe == nil {
		return 0, a.err
	}
	a.bytes = bytes
	err = a.pipe.Write(a.try)
	a.bytes = nil
	switch {
	case err != nil:
		return 0, err
	case errors.Is(a.err, syscall.EAGAIN), errors.Is(a.err, syscall.EINTR):
		return 0, nil
	}
	return max(a.n, 0), a.err
}

package sample

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// A file is a small file of the kernel that is held open: to read it again costs a microsecond or a few.
type file struct{ fd int }

func openFile(path string) (file, error) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return file{-1}, err
	}
	return file{fd}, nil
}

// read reads the file of a kernel from its beginning into b; nothing if it is gone. It tells the runtime nothing, which takes
// longer than to read.
func (f file) read(b []byte) []byte {
	if f.fd < 0 {
		return nil
	}
	n, _, errno := unix.RawSyscall6(unix.SYS_PREAD64, uintptr(f.fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)), 0, 0, 0) //nolint:gosec // the pointer of a system call
	if errno != 0 {
		return nil
	}
	return b[:n]
}

// readAt reads from a file on a disk, which may block.
func (f file) readAt(b []byte, offset int64) []byte {
	if f.fd < 0 {
		return nil
	}
	n, err := unix.Pread(f.fd, b, offset)
	if err != nil {
		return nil
	}
	return b[:n]
}

func (f *file) close() {
	if f.fd >= 0 {
		_ = unix.Close(f.fd)
	}
	f.fd = -1
}

// field returns number i, from 0, of the numbers that blanks separate; 0 if it is not there. It allocates nothing.
func field(text []byte, i int) (n int64) {
	for ; i >= 0; i-- {
		for len(text) > 0 && blank(text[0]) {
			text = text[1:]
		}
		if i > 0 {
			for len(text) > 0 && !blank(text[0]) {
				text = text[1:]
			}
		}
	}
	return leading(text)
}

// leading returns the number with which a text begins; 0 without one.
func leading(text []byte) (n int64) {
	for _, c := range text {
		if c < '0' || c > '9' {
			break
		}
		n = n*10 + int64(c-'0')
	}
	return n
}

// after returns the number that follows a name; ok is false if the name is not there.
func after(text []byte, name string) (n int64, ok bool) {
	i := find(text, name)
	if i < 0 {
		return 0, false
	}
	text = text[i+len(name):]
	for len(text) > 0 && text[0] == ' ' {
		text = text[1:]
	}
	return leading(text), true
}

func blank(c byte) bool { return c == ' ' || c == '\n' || c == '\t' }

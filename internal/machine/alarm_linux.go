package machine

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// timer is a timer of the kernel that a goroutine reads from, as from a socket. It
// is exact to the nanosecond, where Go rounds its own timers up to a millisecond,
// and holds no thread.
type timer struct {
	file   *os.File
	fd     int // of file, whose own Fd would make it block
	spec   unix.ItimerSpec
	buffer [8]byte // how often it went off
}

// newAlarm makes a timer, or sleeps as Go does where there is none.
func newAlarm() alarm {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return sleep{}
	}
	return &timer{file: os.NewFile(uintptr(fd), "timer"), fd: fd}
}

func (t *timer) wait(left time.Duration) {
	t.spec.Value = unix.NsecToTimespec(int64(left))
	if unix.TimerfdSettime(t.fd, 0, &t.spec, nil) != nil {
		time.Sleep(left)
		return
	}
	if _, err := t.file.Read(t.buffer[:]); err != nil {
		time.Sleep(left)
	}
}

func (t *timer) close() { _ = t.file.Close() }

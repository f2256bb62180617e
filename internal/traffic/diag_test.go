//go:build linux

package traffic

import (
	"encoding/binary"
	"errors"
	"os"
	"runtime"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A kernel that knows no such connections says so: that is not a machine without any.
func TestAKernelThatCannotAnswer(t *testing.T) {
	for name, ask := range map[string]struct{ family, protocol uint8 }{
		"protocol": {unix.AF_INET, 200},
		"family":   {unix.AF_X25, unix.IPPROTO_TCP},
	} {
		d, err := newDiag()
		if err != nil {
			t.Fatal(err)
		}
		defer d.close()
		d.protocol = ask.protocol
		if err := d.each(ask.family, noRest, func(connection) {}); !errors.Is(err, unix.ENOENT) {
			t.Errorf("%s: %v, want %v", name, err, unix.ENOENT)
		}
	}
}

// Before Linux 4.1 a tcp_info had no such counters: what connections carry is not known there.
func TestAnOldKernel(t *testing.T) {
	data := make([]byte, answerSize+4+104)
	binary.NativeEndian.PutUint16(data[answerSize:], 4+104)
	binary.NativeEndian.PutUint16(data[answerSize+2:], infoAttribute)
	if _, err := parse(syscall.NetlinkMessage{Data: data}); err == nil || errors.Is(err, errGone) {
		t.Errorf("%v", err)
	}
	if _, err := parse(syscall.NetlinkMessage{Data: data[:answerSize]}); !errors.Is(err, errGone) {
		t.Errorf("%v of a connection without a process", err)
	}
}

// An answer that never comes is waited for a second, also while signals arrive.
func TestAnAnswerThatNeverComes(t *testing.T) {
	d, err := newDiag()
	if err != nil {
		t.Fatal(err)
	}
	defer d.close()
	var thread atomic.Int64
	ended := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		thread.Store(int64(unix.Gettid()))
		_, err := d.receive()
		ended <- err
	}()
	for until := time.After(5 * answerTime); ; {
		select {
		case err := <-ended:
			if err == nil {
				t.Error("nothing was asked, and there is an answer")
			}
			return
		case <-until:
			if err := d.send(unix.AF_INET, unix.NLM_F_DUMP, socketID{}); err != nil {
				t.Error(err)
			}
			<-ended
			t.Fatal("it waits for ever")
		case <-time.After(answerTime / 4):
			if id := int(thread.Load()); id != 0 {
				_ = unix.Tgkill(os.Getpid(), id, unix.SIGURG)
			}
		}
	}
}

package machine

import (
	"testing"
	"time"
)

// A thread that sleeps in the kernel keeps a Go processor from the replies that
// are measured: the timer must be one that Go's poller waits for. Only of such a
// file can a read have a deadline.
func TestTheAlarmHoldsNoThread(t *testing.T) {
	alarm, ok := newAlarm().(*timer)
	if !ok {
		t.Skip("this kernel has no timerfd")
	}
	if err := alarm.file.SetReadDeadline(time.Time{}); err != nil {
		t.Errorf("the timer is not polled: %v", err)
	}
	alarm.close()
	begin := time.Now()
	alarm.wait(time.Millisecond) // without its timer it sleeps
	if waited := time.Since(begin); waited < time.Millisecond {
		t.Errorf("a broken timer waited %v, want at least 1ms", waited)
	}
}

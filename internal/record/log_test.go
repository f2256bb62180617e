package record

import (
	"bytes"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/leaf/safefile"
)

// A disk is full when it is told to be.
type disk struct {
	has  bytes.Buffer
	full bool
}

func (d *disk) Write(p []byte) (int, error) {
	if d.full {
		return 0, syscall.ENOSPC
	}
	return d.has.Write(p)
}

func (d *disk) Close() error { return nil }
func (d *disk) Held() bool   { return false }
func (d *disk) Flush() error { return nil }

func TestALogThatIsShortSaysSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // writing parks
		d := new(disk)
		l := &Log{file: d}
		h := histogram.New()
		h.Record(time.Millisecond)
		l.Begin(time.Unix(1, 0))
		for i := range 5 {
			d.full = i == 1 || i == 2
			l.Write("response", time.Duration(i)*time.Second, time.Duration(i+1)*time.Second, h)
		}
		err := l.Close()
		if err == nil || !strings.HasSuffix(err.Error(), "no space left on device: 2 of its 5 lines are left out") {
			t.Errorf("error %v", err)
		}
		short := l.Short(strings.ToUpper)
		if short == nil || short.Lines != 3 || short.LeftOut != 2 || !strings.HasSuffix(short.Cause, "NO SPACE LEFT ON DEVICE") {
			t.Errorf("%+v", short)
		}
		log, err := histogram.ReadLog(&d.has)
		if err != nil || log.Truncated || len(log.Entries) != 3 {
			t.Errorf("%d entries, cut %v, %v", len(log.Entries), log.Truncated, err)
		}
	})
}

// Lines for which the disk has no space are written later, or are left out at the end.
func TestALogOnAFullDiskIsHeld(t *testing.T) {
	for again, want := range map[bool]int64{true: 0, false: 3} {
		synctest.Test(t, func(t *testing.T) { // writing parks
			d := new(disk)
			l := &Log{file: safefile.NewBacklog(d)}
			h := histogram.New()
			h.Record(time.Millisecond)
			l.Begin(time.Unix(1, 0))
			for i := range 5 {
				d.full = i >= 2
				l.Write("response", time.Duration(i)*time.Second, time.Duration(i+1)*time.Second, h)
			}
			if err := l.Flush(); !safefile.Full(err) {
				t.Errorf("Flush on a full disk: %v", err)
			}
			d.full = !again
			err, short := l.Close(), l.Short(strings.ToUpper)
			if (err == nil) != again || (short == nil) != again || short != nil && (short.Lines != 2 || short.LeftOut != want) {
				t.Errorf("there is space again: %v; error %v, %+v", again, err, short)
			}
			log, err := histogram.ReadLog(&d.has)
			if err != nil || log.Truncated || int64(len(log.Entries)) != 5-want {
				t.Errorf("%d entries, cut %v, %v", len(log.Entries), log.Truncated, err)
			}
		})
	}
}

func TestAWholeLogSaysNothing(t *testing.T) {
	for _, l := range []*Log{nil, {file: new(disk), lines: 3}} {
		if err := l.Close(); err != nil || l.Short(strings.ToUpper) != nil {
			t.Errorf("%v, %+v", err, l.Short(strings.ToUpper))
		}
	}
}

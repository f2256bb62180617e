package measure

import (
	"bytes"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
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

func TestALogThatIsShortSaysSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // writing parks
		d := new(disk)
		l := &intervalLog{file: d}
		h := histogram.New()
		h.Record(time.Millisecond)
		l.begin(time.Unix(1, 0))
		for i := range 5 {
			d.full = i == 1 || i == 2
			l.write("response", time.Duration(i)*time.Second, time.Duration(i+1)*time.Second, h)
		}
		err := l.close()
		if err == nil || !strings.HasSuffix(err.Error(), "no space left on device: 2 of its 5 lines are left out") {
			t.Errorf("error %v", err)
		}
		short := l.short(strings.ToUpper)
		if short == nil || short.Lines != 3 || short.LeftOut != 2 || !strings.HasSuffix(short.Cause, "NO SPACE LEFT ON DEVICE") {
			t.Errorf("%+v", short)
		}
		log, err := histogram.ReadLog(&d.has)
		if err != nil || log.Truncated || len(log.Entries) != 3 {
			t.Errorf("%d entries, cut %v, %v", len(log.Entries), log.Truncated, err)
		}
	})
}

func TestAWholeLogSaysNothing(t *testing.T) {
	for _, l := range []*intervalLog{nil, {file: new(disk), lines: 3}} {
		if err := l.close(); err != nil || l.short(strings.ToUpper) != nil {
			t.Errorf("%v, %+v", err, l.short(strings.ToUpper))
		}
	}
}

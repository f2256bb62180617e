package histogram

import (
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"
)

// allocated returns how many bytes f allocates, freed ones included.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// wide returns the payload of a histogram of one value with the widest range.
func wide(t testing.TB) string {
	t.Helper()
	h := newHistogram(newGeometry(1, math.MaxInt64, 5))
	h.add(1, 1)
	return payload(t, &h)
}

// A log whose histograms claim a range that nobody needs: 30 lines of 100 bytes
// would take 4.4 GB.
func TestALogOfTooWideARangeIsRefused(t *testing.T) {
	line, log := wide(t), ""
	for i := range 30 {
		log += fmt.Sprintf("Tag=t%d,0.0,1.0,2.0,%s\n", i, line)
	}
	got := allocated(func() {
		_, err := ReadLog(strings.NewReader(log))
		if err == nil || !strings.Contains(err.Error(), "line 1: decoding the histogram: 6160384 buckets") || !strings.Contains(err.Error(), "more than the 4194304 that are read") {
			t.Errorf("error %v", err)
		}
	})
	if got > 1<<20 {
		t.Errorf("%d B were allocated for %d B of text", got, len(log))
	}
}

// Five digits from 1 ns to 1 h are as much as anybody asks for.
func TestTheWidestUsefulRangeIsRead(t *testing.T) {
	h := newHistogram(newGeometry(int64(Lowest), int64(Highest), 5))
	h.add(int64(Highest), 1)
	_, err := ReadLog(strings.NewReader("0.0,1.0,2.0," + payload(t, &h) + "\n"))
	ok(t, err)
}

// An endless text is endless.
type endless string

func (e endless) Read(p []byte) (n int, err error) {
	for n < len(p) {
		n += copy(p[n:], e)
	}
	return n, nil
}

func TestALineThatNeverEndsIsRefused(t *testing.T) {
	got := allocated(func() {
		_, err := ReadLog(endless("x"))
		if err == nil || !strings.Contains(err.Error(), "after line 0: a line is longer than the 16 MiB that are read") {
			t.Errorf("error %v", err)
		}
	})
	if got > 128<<20 {
		t.Errorf("%d MiB were allocated", got>>20)
	}
}

func TestATableOfTooManyRowsIsRefused(t *testing.T) {
	text := header + "\n" + strings.Repeat("1 0.5 1 2\n", mostRows+1)
	got := allocated(func() {
		_, err := ReadPercentiles(strings.NewReader(text))
		if err == nil || !strings.Contains(err.Error(), "a table of more than 1048576 rows is not read") {
			t.Errorf("error %v", err)
		}
	})
	if got > 512<<20 {
		t.Errorf("%d MiB were allocated", got>>20)
	}
}

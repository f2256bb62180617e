package measure

import (
	"sync/atomic"
	"time"
)

// shortest keeps the shortest response of each connection in an interval. It is safe for
// concurrent use.
type shortest []atomic.Int64

// keep adds a response of a connection. After the first few of an interval it only reads.
func (s shortest) keep(conn int, response time.Duration) {
	v := max(int64(response), 1) // 0 is none
	for least := s[conn].Load(); (least == 0 || v < least) && !s[conn].CompareAndSwap(least, v); {
		least = s[conn].Load()
	}
}

// take moves the shortest responses since the last call into list, 0 for a connection without one,
// and pauses now and then.
func (s shortest) take(list []time.Duration, pause func()) {
	const atOnce = 10_000 // takes less than a tenth of a millisecond
	for i := range s {
		if list[i] = time.Duration(s[i].Swap(0)); i%atOnce == atOnce-1 {
			pause()
		}
	}
}

package rabbitmq

import (
	"errors"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/requester"
)

// Who adds does not wait, though the one before is still being reported, and the order
// stays. One that is added from within, as the engine's next request may be, comes last.
func TestFailuresArePassedOnInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var work sync.WaitGroup
		var seen []uint64
		held := make(chan struct{})
		f := failures{work: &work}
		f.report = func(message []byte, cause error) {
			<-held
			stamp, _ := requester.ReadStamp(message)
			if seen = append(seen, stamp.Seq); stamp.Seq == 0 {
				f.add(brokertest.Payload(0, 50, 16), cause)
			}
		}
		for seq := range uint64(50) {
			f.add(brokertest.Payload(0, seq, 16), errors.New("refused"))
			synctest.Wait()
		}
		close(held)
		work.Wait()
		if len(seen) != 51 {
			t.Fatalf("%d failures, want 51", len(seen))
		}
		for i, seq := range seen {
			if seq != uint64(i) {
				t.Errorf("failure %d is of message %d", i, seq)
			}
		}
		f.add(brokertest.Payload(0, 51, 16), errors.New("refused")) // after a rest
		work.Wait()
		if len(seen) != 52 {
			t.Errorf("%d failures, want 52", len(seen))
		}
	})
}

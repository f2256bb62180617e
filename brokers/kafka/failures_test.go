package kafka

import (
	"errors"
	"testing"
	"testing/synctest"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/requester"
)

func TestFailuresArePassedOnInOrder(t *testing.T) {
	f := newFailures()
	seen := make(chan uint64, 100)
	f.notify = func(p []byte, cause error) {
		stamp, ok := requester.ReadStamp(p)
		if !ok || cause == nil {
			t.Errorf("payload %x, cause %v", p, cause)
		}
		if stamp.Seq == 0 {
			f.add(brokertest.Payload(1, 100, 16), errors.New("from within")) // as a reply that issues a request would
		}
		seen <- stamp.Seq
	}
	p := make([]byte, 1024)
	for seq := range uint64(50) {
		requester.Stamp{Seq: seq}.Put(p) // the buffer is used again
		f.add(p, errors.New("refused"))
	}
	stop := make(chan struct{})
	done := make(chan struct{})
	go func() { f.serve(stop); close(done) }()
	for seq := range uint64(50) {
		if got := <-seen; got != seq {
			t.Fatalf("got %d, want %d", got, seq)
		}
	}
	if got := <-seen; got != 100 {
		t.Errorf("got %d, want the one added from within", got)
	}
	close(stop)
	<-done
}

func TestFailuresAreQuietAfterStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFailures()
		f.notify = func([]byte, error) { t.Error("notified") }
		f.add(brokertest.Payload(1, 1, 16), errors.New("refused"))
		stop := make(chan struct{})
		close(stop)
		f.serve(stop)
		f.add(brokertest.Payload(1, 2, 16), errors.New("refused"))
		synctest.Wait()
	})
}

func TestFailuresThatNobodyWants(t *testing.T) {
	f := newFailures()
	f.add(brokertest.Payload(1, 1, 16), errors.New("refused"))
	if len(f.take()) != 0 {
		t.Error("kept")
	}
}

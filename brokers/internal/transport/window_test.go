package transport

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/brokerbench/brokerbench/requester"
)

// request returns a message that is long enough for a request.
func request(n byte) []byte { return append([]byte{n}, make([]byte, requester.StampSize)...) }

// There is room for as many messages as the broker's window has; the others wait, in their order.
func TestAWindowThatIsFull(t *testing.T) {
	var published []byte
	acked := 0
	w := NewWindow[int](func([]byte) { acked++ }, func([]byte, error) { t.Error("failed") })
	w.Size = 2
	w.Publish = func(message []byte) error {
		w.Sent(int(message[0]), message)
		published = append(published, message[0])
		return nil
	}
	for n := range byte(4) {
		if err := w.Send(request(n)); err != nil {
			t.Fatal(err)
		}
	}
	w.Answered(0, nil)
	w.Answered(0, nil) // a stray
	if err := w.Send(request(4)); err != nil || !slices.Equal(published, []byte{0, 1}) || acked != 1 {
		t.Fatalf("%v; published %v, %d acknowledged", err, published, acked)
	}
	ctx, cancel := context.WithCancel(t.Context())
	w.Serve(ctx, func(message []byte) error {
		if message[0] == 4 {
			cancel()
		}
		return w.Publish(message)
	})
	if w.Answered(1, nil); !slices.Equal(published, []byte{0, 1, 2, 3, 4}) || w.LastAcked()[0] != 1 {
		t.Errorf("published %v, acknowledged last %v", published, w.LastAcked())
	}
}

func TestAWindowThatIsClosed(t *testing.T) {
	var failed []byte
	w := NewWindow[int](func([]byte) {}, func(message []byte, _ error) { failed = append(failed, message[0]) })
	w.Sent(7, request(7))
	w.Sent(8, []byte("probe"))
	for n := range byte(2) {
		_ = w.Send(request(n)) // there is no room
	}
	why := errors.New("why")
	w.Close(why)
	w.Answered(7, why)
	w.Answered(8, why)
	if !slices.Equal(failed, []byte{0, 1, 7}) || w.LastAcked() != nil || !errors.Is(w.Send(request(2)), why) {
		t.Errorf("failed %v, acknowledged last %v", failed, w.LastAcked())
	}
}

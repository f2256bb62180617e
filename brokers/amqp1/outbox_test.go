package amqp1

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"
)

func number(n int) []byte { return binary.BigEndian.AppendUint64(nil, uint64(n)) }

// Messages come out in their order, as they went in, whatever is reused meanwhile.
func TestOutboxKeepsOrder(t *testing.T) {
	o := newOutbox()
	in, out := 0, 0
	take := func(n int) {
		for range n {
			m := o.take()
			if !bytes.Equal(m, number(out)) {
				t.Fatalf("message %d is %x", out, m)
			}
			out++
			o.reuse(m)
		}
	}
	for round := range 200 {
		for range 100 + round {
			buffer := number(in)
			if err := o.add(buffer); err != nil {
				t.Fatal(err)
			}
			clear(buffer) // it is the caller's
			in++
		}
		take(100 + round/2)
	}
	take(in - out)
	if m := o.take(); m != nil || len(o.spare) > sparesKept {
		t.Errorf("%x is left, %d buffers are kept", m, len(o.spare))
	}
}

func TestOutboxIsBounded(t *testing.T) {
	o := newOutbox()
	large := make([]byte, outboxLimit+1)
	if err := o.add(large); err != nil {
		t.Errorf("one that is larger than the bound: %v", err)
	}
	if err := o.add(large[:1]); !errors.Is(err, errOutboxFull) {
		t.Errorf("one more: %v", err)
	}
	o.take()
	if err := o.add(large[:1]); err != nil {
		t.Errorf("when there is room: %v", err)
	}
}

func TestOutboxThatIsClosed(t *testing.T) {
	o := newOutbox()
	for i := range 3 {
		_ = o.add(number(i))
	}
	o.take()
	cause := errors.New("why")
	if left := o.close(cause); len(left) != 2 || !bytes.Equal(left[0], number(1)) {
		t.Errorf("%x is left", left)
	}
	if err := o.add(number(3)); !errors.Is(err, cause) || o.take() != nil {
		t.Errorf("after close: %v", err)
	}
}

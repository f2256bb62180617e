package transport

import (
	"bytes"
	"sync"
	"sync/atomic"

	"github.com/brokerbench/brokerbench/requester"
)

// Outcomes passes on what becomes of the messages of a connection, until Mute. A message that is
// too short for a request is a probe. It is safe for concurrent use; [NewOutcomes] makes one.
type Outcomes struct {
	Sink    requester.Sink
	Explain func(doing string, err error) error // adds the target and the remedy to an error; nil for nil
	Probed  chan []byte                         // gets probes that were delivered, while there is room

	muted  atomic.Bool
	joined sync.Pool  // of *[]byte, for join
	taking sync.Mutex // held by DeliverFrom
}

// NewOutcomes returns what passes on to a sink.
func NewOutcomes(sink requester.Sink, explain func(doing string, err error) error) *Outcomes {
	return &Outcomes{Sink: sink, Explain: explain, Probed: make(chan []byte, 1)}
}

// Deliver passes on a message that was delivered; taken is false if it was dropped.
func (o *Outcomes) Deliver(payload []byte) (taken bool) {
	switch {
	case o.Muted():
		return false
	case len(payload) >= requester.StampSize:
		o.Sink.Reply(payload)
	default:
		select {
		case o.Probed <- bytes.Clone(payload):
		default: // no probe is awaited
		}
	}
	return true
}

// DeliverWith is Deliver of a message whose stamp travelled in a header; "": it did not.
func (o *Outcomes) DeliverWith(stamp string, message []byte) (taken bool) {
	if stamp == "" {
		return o.Deliver(message)
	}
	payload := o.join(stamp, message)
	defer o.joined.Put(payload)
	return o.Deliver(*payload)
}

// DeliverFrom is DeliverWith of a message from a partition or topic of that number, one message at a time.
func (o *Outcomes) DeliverFrom(partition int, stamp string, message []byte) (taken bool) {
	o.taking.Lock()
	defer o.taking.Unlock()
	if o.Sink.From != nil {
		o.Sink.From(partition)
	}
	return o.DeliverWith(stamp, message)
}

// AckedWith is Acked in the same way.
func (o *Outcomes) AckedWith(stamp string, message []byte) {
	if stamp == "" {
		o.Acked(message)
		return
	}
	payload := o.join(stamp, message)
	defer o.joined.Put(payload)
	o.Acked(*payload)
}

// join returns a payload in memory of its own.
func (o *Outcomes) join(stamp string, message []byte) *[]byte {
	buffer, ok := o.joined.Get().(*[]byte)
	if !ok {
		buffer = new([]byte)
	}
	*buffer = requester.Join(*buffer, stamp, message)
	return buffer
}

// Acked passes on that a message was acknowledged.
func (o *Outcomes) Acked(message []byte) {
	if !o.Muted() {
		o.Sink.Acked(message)
	}
}

// Failed passes on that a message failed after Request had returned.
func (o *Outcomes) Failed(message []byte, cause error) {
	if !o.Muted() {
		o.Sink.Failed(message, o.Explain("publishing", cause))
	}
}

// Mute drops everything that comes from now on: the connection ends.
func (o *Outcomes) Mute() { o.muted.Store(true) }

// Muted reports whether Mute was called.
func (o *Outcomes) Muted() bool { return o.muted.Load() }

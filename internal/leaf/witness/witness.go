//go:build linux

// Package witness counts the messages of a program from the packets of the loopback interface,
// as tcpdump would: which were published, acknowledged and delivered, when, and on which
// connection. It imports nothing of brokerbench, and so cannot share its errors.
//
// It reads NATS, RESP (Redis), AMQP 0-9-1 and Kafka over IPv4 without TLS, and needs CAP_NET_RAW.
package witness

import (
	"bytes"
	"errors"
	"slices"
	"time"
)

// A Message is the head of a published payload: run, connection and number, big-endian.
type Message [16]byte

// probe is the number of messages that belong to no schedule.
var probe = bytes.Repeat([]byte{0xff}, 8)

// A Kind is a kind of event.
type Kind int

// The kinds.
const (
	Published Kind = iota // the client sent it
	Acked                 // the broker acknowledged it
	Delivered             // the broker sent it to a consumer, or to a reader of the store
)

// An Event is a message that passed on a connection.
type Event struct {
	At      time.Time // of the packet with its last byte
	Conn    int       // in the order of the connections' first packets
	Kind    Kind
	Message Message

	guessed bool // the connection is not known to be the process's
}

// run returns the run of a message.
func (m Message) run() [4]byte { return [4]byte(m[:]) }

// A Witness reads the packets of one program. Listen makes it.
type Witness struct {
	pid, size int
	packets   int // a socket
	stop      chan time.Time
	until     time.Time
	ended     chan error
	talks     map[flow]*talk
	unknown   map[flow]*talk // of which it is not known to whom they belong
	opened    int
	ignored   []flow
	listed    time.Time
	open      map[string]Message // NATS publishes without a reply, by reply subject
	events    []Event
	missed    error
}

// Listen starts to count the messages whose payload has size bytes, on connections that the
// process pid opened. The caller calls Stop.
func Listen(pid, size int) (*Witness, error) {
	packets, err := capture()
	if err != nil {
		return nil, err
	}
	w := &Witness{
		pid: pid, size: size, packets: packets, stop: make(chan time.Time, 1), ended: make(chan error, 1),
		talks: make(map[flow]*talk), unknown: make(map[flow]*talk), open: make(map[string]Message),
	}
	go func() { w.ended <- w.read() }()
	return w, nil
}

// Stop ends the counting, and returns the events in the order of time. The error is that
// packets, or parts of a connection, could not be read.
func (w *Witness) Stop() (Events, error) {
	w.stop <- time.Now()
	err := <-w.ended
	w.list()
	for f, t := range w.talks {
		w.settle(f, t)
	}
	err = errors.Join(err, w.missed)
	w.dropGuesses()
	slices.SortStableFunc(w.events, func(a, b Event) int { return a.At.Compare(b.At) })
	return w.events, err
}

// dropGuesses drops the events of guessed connections that have another run than the known ones.
func (w *Witness) dropGuesses() {
	runs := make(map[[4]byte]bool)
	for _, e := range w.events {
		if !e.guessed {
			runs[e.Message.run()] = true
		}
	}
	if len(runs) > 0 {
		w.events = slices.DeleteFunc(w.events, func(e Event) bool { return e.guessed && !runs[e.Message.run()] })
	}
}

// note notes an event of a payload.
func (t *talk) note(kind Kind, payload []byte) {
	if m, ok := t.message(payload); ok {
		t.noteMessage(kind, m)
	}
}

func (t *talk) noteMessage(kind Kind, m Message) {
	t.w.events = append(t.w.events, Event{At: t.at, Conn: t.id, Kind: kind, Message: m, guessed: t.guessed})
}

// message returns the message of a payload; ok is false if it is not one of the schedule.
func (t *talk) message(payload []byte) (m Message, ok bool) {
	if len(payload) != t.w.size || bytes.Equal(payload[8:16], probe) {
		return m, false
	}
	return Message(payload), true
}

// Events are events in the order of time.
type Events []Event

// Audit counts the messages that were acknowledged before end, and of these the missing ones: those that
// no one read from then on. taken says that reading removes a message, so that earlier deliveries count.
func (e Events) Audit(end time.Time, taken bool) (acked, missing int) {
	before := e.Before(end)
	read := e[len(before):]
	if taken {
		read = e
	}
	known, delivered := before.of(Acked), read.of(Delivered)
	for m := range known {
		if !delivered[m] {
			missing++
		}
	}
	return len(known), missing
}

// Before returns the events before end.
func (e Events) Before(end time.Time) Events {
	at, _ := slices.BinarySearchFunc(e, end, func(event Event, end time.Time) int { return event.At.Compare(end) })
	return e[:at]
}

func (e Events) of(kind Kind) map[Message]bool {
	set := make(map[Message]bool)
	for _, event := range e {
		if event.Kind == kind {
			set[event.Message] = true
		}
	}
	return set
}

// Outage returns the longest times between from and to without an event of a kind: from the event before, or from
// from, until the next event. For first only the first event of a message counts, and for every each does. The
// outage of a client is between the two: it may drop a message that it got, and take it when it is sent again, as
// after a subscription that was begun anew.
func (e Events) Outage(kind Kind, from, to time.Time) (first, every time.Duration) {
	seen := make(map[Message]bool)
	firsts, all := pause{from: from, to: to}, pause{from: from, to: to}
	for _, event := range e {
		if event.Kind != kind {
			continue
		}
		if all.take(event.At); !seen[event.Message] {
			firsts.take(event.At)
		}
		seen[event.Message] = true
	}
	return firsts.longest, all.longest
}

// A pause is the longest time without an event.
type pause struct {
	from, to time.Time // from is the last event, or when the time began
	longest  time.Duration
}

// take takes the next event.
func (p *pause) take(at time.Time) {
	if at.Before(p.from) || p.from.After(p.to) {
		return
	}
	p.longest, p.from = max(p.longest, at.Sub(p.from)), at
}

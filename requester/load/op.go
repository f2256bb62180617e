package load

import "time"

// An Op is one round trip that is done. All times are monotonic offsets from
// the start of the schedule.
type Op struct {
	Conn   int           // the connection that carried it, counted from 0
	Seq    uint64        // its position in that connection's schedule
	Due    time.Duration // when the schedule says it starts
	Sent   time.Duration // when the requester was asked to send it
	Done   time.Duration // when the reply reached the process
	Held   time.Duration // how long earlier calls of Request kept the sender from it; 0 if queued
	Warmup bool          // due before the measured window
	Queued bool          // had to wait for a slot (in-flight limit)
	Acked  bool          // the system had acknowledged it before
	Class  uint8         // which of several sizes it has, from 0, the smallest
	// Partition is the number of its partition, from 1, MostPartitions at most; 0: not known.
	Partition uint8
	// Echoed is when the echo had it, by the clocks of both: it may be before Sent, if they differ.
	// 0 without an echo, or if its clock is not known.
	Echoed time.Duration
	// Disordered tells that an op which was sent later on the same connection came back before; with keys, one
	// of the same key.
	Disordered bool
	// Complete is when the later of reply and acknowledgement reached the process, if the
	// latter did before. An acknowledgement of another message that comes while the reply is
	// being recorded may make it a moment late; it is never early.
	Complete time.Duration
}

// Response returns Done − Due: how long a caller arriving on schedule waited. This
// is the headline.
func (o Op) Response() time.Duration { return o.Done - o.Due }

// Service returns Done − Sent: how long the round trip took. Other tools call it
// uncorrected latency.
func (o Op) Service() time.Duration { return o.Done - o.Sent }

// Lag returns Sent − Due − Held: how late the generator itself was, without the time
// for which the system under test held up the sender. So Response is Held, Lag and
// Service. It means something only for an op that had a free slot: for a queued one it
// is the wait.
func (o Op) Lag() time.Duration { return o.Sent - o.Due - o.Held }

// An Ack is the moment at which the system under test took responsibility for a message.
// Its times are offsets as those of an [Op].
type Ack struct {
	Conn   int           // the connection that carried it, counted from 0
	Seq    uint64        // its position in that connection's schedule
	Due    time.Duration // when the schedule says it starts
	Acked  time.Duration // when the acknowledgement reached the process
	Warmup bool          // due before the measured window
	Done   bool          // its reply had come before
	Class  uint8         // which of several sizes it has, from 0, the smallest
	// Complete is when the later of the two reached the process; only if Done.
	Complete time.Duration
}

// Wait returns Acked − Due: how long a caller arriving on schedule waited for the
// acknowledgement.
func (a Ack) Wait() time.Duration { return a.Acked - a.Due }

// An AckRecorder is a [Recorder] that also takes each acknowledgement. It is optional.
// The rules of Record hold. Calls about one message come in no particular order: its
// Record may be running when RecordAck is called.
type AckRecorder interface{ RecordAck(Ack) }

// A Publish is the moment at which the client had a message on the socket: its Request
// returned. Its times are offsets as those of an [Op].
type Publish struct {
	Conn      int           // the connection that carries it, counted from 0
	Due       time.Duration // when the schedule says it starts
	Published time.Duration // when Request returned, without an error
	Warmup    bool          // due before the measured window
}

// Wait returns Published − Due: how long a caller arriving on schedule waited until its message
// was on its way. A reply may be faster than the return of Request.
func (p Publish) Wait() time.Duration { return p.Published - p.Due }

// A PublishRecorder is a [Recorder] that also takes when each message was on the socket, of
// requesters that tell: see requester.Traits. It is optional. The rules of Record
// hold, except that the goroutines are those that send.
type PublishRecorder interface{ RecordPublish(p Publish) }

// A Delivery is the first time that a group of consumers got a message. Its times are offsets as those
// of an [Op]. The op is done when its last group has it.
type Delivery struct {
	Conn          int // the producer, counted from 0
	Seq           uint64
	Group, Member int           // both counted from 0
	Due           time.Duration // when the schedule says the message starts
	Done          time.Duration // when it reached the process
	First, Last   bool          // no other group had it before; all groups have it now
	Warmup        bool          // due before the measured window
	Class         uint8         // as in [Op]
	Partition     uint8         // as in [Op]
}

// Response returns Done − Due.
func (d Delivery) Response() time.Duration { return d.Done - d.Due }

// A DeliveryRecorder is a [Recorder] that also takes each delivery to a group. It is optional. The
// rules of Record hold. The last delivery of a message is recorded before its op.
type DeliveryRecorder interface{ RecordDelivery(d Delivery) }

// A TroubleRecorder is a [Recorder] that also takes what went wrong. It is optional. Its
// methods are called with the connection's books locked: they return at once and call nothing
// of this package.
type TroubleRecorder interface {
	// RecordFailure takes an op that failed: its connection, and its position in the schedule.
	RecordFailure(conn int, seq uint64)
	// RecordDuplicate takes when a reply came whose op was settled already.
	RecordDuplicate(conn int, at time.Duration)
}

// A Recorder takes each op that is done. Record is called from the goroutines
// that deliver replies, concurrently; it must not block nor allocate, since the
// next reply of that connection waits for it.
type Recorder interface{ Record(Op) }

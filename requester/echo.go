package requester

import "encoding/binary"

// A Side is the part of a process where another process, an echo, sends the messages back:
// then each message takes two hops through the system.
type Side int

// The sides.
const (
	Alone  Side = iota // there is no echo: a connection receives what it sends
	Caller             // sends requests, and receives what the echo sends
	Echo               // receives what the callers send, and sends to where they receive
)

// An Echoer is a [Factory] whose connections may be either side of an exchange over two hops.
// It is optional. Messages that a connection publishes are consumed by the connection of the same
// number on the other side. Each proves in Setup that it receives by sending a message to
// itself, and needs no other side for that. The echo is set up first.
type Echoer interface {
	Factory
	// TakeSide sets which side the connections are. It is called at most once, before New and
	// Describe. An error says which of the settings in force do not allow it.
	TakeSide(side Side) error
}

// EchoSize is how many bytes at the end of a message belong to the echo: when it received the
// message, in nanoseconds of its clock, big-endian. Callers send zeros.
const EchoSize = 8

// PutEcho writes when an echo received a message into its end. The payload has [StampSize] and
// [EchoSize] bytes at least.
func PutEcho(payload []byte, at int64) {
	binary.BigEndian.PutUint64(payload[len(payload)-EchoSize:], uint64(at))
}

// ReadEcho returns when an echo received a message; 0 if none did, also of a message that is
// too short for that.
func ReadEcho(payload []byte) (at int64) {
	if len(payload) < StampSize+EchoSize {
		return 0
	}
	return int64(binary.BigEndian.Uint64(payload[len(payload)-EchoSize:]))
}

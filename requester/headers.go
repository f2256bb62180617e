package requester

import (
	"encoding/hex"
	"errors"
)

// StampHeader is the name of the header that has the stamp of a message, in hexadecimal.
const StampHeader = "brokerbench-stamp"

// Headers say what travels beside the content of each message. The zero value is nothing.
type Headers struct {
	// Stamp tells that the first StampSize bytes of each payload, which are its [Stamp], travel as
	// StampHeader, so that the message is the rest of the payload.
	Stamp bool
	Fixed []Header // the same in every message
}

// A Header is one header of a message.
type Header struct{ Name, Value string } // visible ASCII

// None reports whether messages have no headers.
func (h Headers) None() bool { return !h.Stamp && len(h.Fixed) == 0 }

// Overhead returns by how many bytes the headers make a payload longer, if each has so many besides its name
// and value.
func (h Headers) Overhead(each int) (bytes int) {
	if h.Stamp {
		bytes = len(StampHeader) + 2*StampSize + each - StampSize
	}
	for _, one := range h.Fixed {
		bytes += len(one.Name) + len(one.Value) + each
	}
	return bytes
}

// Split divides a payload into the value of StampHeader, "" if it has none, and the message.
func (h Headers) Split(payload []byte) (stamp string, message []byte) {
	if !h.Stamp || len(payload) < StampSize {
		return "", payload
	}
	return hex.EncodeToString(payload[:StampSize]), payload[StampSize:]
}

// Join returns the payload that Split divided, in the memory of buffer if that has room. Without a stamp it is
// the message itself, and with one that is none a copy of it.
func Join(buffer []byte, stamp string, message []byte) []byte {
	if stamp == "" {
		return message
	}
	with, err := hex.AppendDecode(buffer[:0], []byte(stamp))
	if err != nil || len(with) != StampSize {
		with = buffer[:0]
	}
	return append(with, message...)
}

// A HeaderTaker is a [Factory] of a system whose messages can have headers. It is optional.
type HeaderTaker interface {
	Factory
	// TakeHeaders sets the headers of all messages but the probes that connections send in Setup. It is
	// called before New and Describe; a second call has the same headers. An error says which of the
	// settings in force do not allow them.
	TakeHeaders(h Headers) error
}

// Carry gives the factory headers, which are not the zero ones.
func Carry(f Factory, h Headers) error {
	t, ok := As[HeaderTaker](f)
	if !ok {
		return errors.New("brokerbench gives messages of this system no headers yet")
	}
	return t.TakeHeaders(h)
}

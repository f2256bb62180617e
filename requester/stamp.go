package requester

import (
	"encoding/binary"
	"fmt"
	"math"
)

// StampSize is the length of a [Stamp] in bytes, and so the smallest size of a
// message.
const StampSize = 16

// ProbeSeq is the sequence number of the engine's probe, the message that goes
// through the first connection before the schedule begins. A requester that drops
// or delays messages on purpose lets it pass.
const ProbeSeq = math.MaxUint64

// A Stamp is the head of every message. It says which request a reply belongs to.
// In the message it is big-endian: run (4 bytes), connection (4 bytes), sequence
// (8 bytes).
type Stamp struct {
	Run  uint32 // random for each cell, so that replies of another run are recognised
	Conn uint32 // the connection that sent it, counted from 0 over all machines
	Seq  uint64 // the position in that connection's schedule, from 0
}

// Put writes the stamp into the first [StampSize] bytes of payload. It panics
// if payload is shorter.
func (s Stamp) Put(payload []byte) {
	_ = payload[StampSize-1]
	binary.BigEndian.PutUint32(payload[0:], s.Run)
	binary.BigEndian.PutUint32(payload[4:], s.Conn)
	binary.BigEndian.PutUint64(payload[8:], s.Seq)
}

// ReadStamp reads the stamp at the head of payload. ok is false if payload is
// too short to hold one.
func ReadStamp(payload []byte) (s Stamp, ok bool) {
	if len(payload) < StampSize {
		return Stamp{}, false
	}
	return Stamp{
		Run:  binary.BigEndian.Uint32(payload[0:]),
		Conn: binary.BigEndian.Uint32(payload[4:]),
		Seq:  binary.BigEndian.Uint64(payload[8:]),
	}, true
}

// CheckSize returns an error if a message of size bytes cannot hold a stamp.
func CheckSize(size int) error {
	if size < StampSize {
		return fmt.Errorf("size %d B is below the %d B a stamp needs", size, StampSize)
	}
	return nil
}

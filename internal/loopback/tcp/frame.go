package tcp

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
)

// A frame on the wire is its length, 4 bytes big-endian, and the message.
const (
	headSize = 4
	maxFrame = 1 << 30
)

// readFrame reads the next message into buf, or into a larger one if it has to.
func readFrame(r *bufio.Reader, buf []byte) ([]byte, error) {
	head, err := r.Peek(headSize)
	if err != nil {
		return buf, err
	}
	n := int(binary.BigEndian.Uint32(head))
	if n > maxFrame {
		return buf, fmt.Errorf("a frame of %d B is above %d B: the other side speaks another protocol", n, maxFrame)
	}
	if _, err := r.Discard(headSize); err != nil {
		return buf, err
	}
	if cap(buf) < n {
		buf = make([]byte, n)
	}
	_, err = io.ReadFull(r, buf[:n])
	return buf[:n], err
}

// appendFrame appends a message as a frame.
func appendFrame(to, payload []byte) []byte {
	to = binary.BigEndian.AppendUint32(to, uint32(len(payload)))
	return append(to, payload...)
}

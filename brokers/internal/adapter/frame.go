package adapter

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"unicode"

	"github.com/brokerbench/brokerbench/brokers/target"
)

// Version is the version of the protocol.
const Version = "1"

// The types of frames. The first four and audit are brokerbench's, and an adapter answers all of them but send
// with a frame of the same type, or with failure.
const (
	hello    = iota + 1 // the version and the run; the answer describes the adapter
	setup               // connect
	send                // a message to send
	teardown            // disconnect
	reply               // a message that was received
	acked               // the head of a message that the system acknowledged
	failed              // the head of a message that was not carried, and why
	event               // something that happened to the connection
	failure             // why hello, setup, teardown or audit is not possible
	audit               // read the store to its end; the adapter answers
	kept                // a message in the store
	types
)

const (
	headSize = 12        // of a frame: the length of its body, its type and its connection, 4 bytes each, little-endian
	textSize = 64 << 10  // the longest body that is no message
	lineSize = 1 << 10   // the longest event or reason that is kept
	shown    = 40        // bytes of garbage in an error
	inBuffer = 256 << 10 // of the reader
)

var (
	errGarbage = errors.New("the adapter wrote something that is not a frame")
	errVersion = errors.New("the adapter speaks another version of the protocol")
)

// A frame is one frame without its body.
type frame struct {
	size, kind, conn uint32
}

// readHead reads the head of the next frame. A message may have as many bytes as the largest that was sent.
func readHead(in *bufio.Reader, largest *atomic.Uint32) (frame, error) {
	head, err := in.Peek(headSize)
	if err != nil && len(head) > 0 && errors.Is(err, io.EOF) {
		return frame{}, fmt.Errorf("%w: %q", errGarbage, head)
	}
	if err != nil {
		return frame{}, err
	}
	f := frame{binary.LittleEndian.Uint32(head), binary.LittleEndian.Uint32(head[4:]), binary.LittleEndian.Uint32(head[8:])}
	limit := uint32(textSize)
	if f.kind == reply || f.kind == send || f.kind == kept {
		limit = max(limit, largest.Load())
	}
	if f.kind == 0 || f.kind >= types || f.size > limit {
		more, _ := in.Peek(min(in.Buffered(), shown))
		return frame{}, fmt.Errorf("%w: %q", errGarbage, more)
	}
	_, err = in.Discard(headSize)
	return f, err
}

// readBody reads the body of a frame into buffer, or into a larger one if it has to.
func readBody(in *bufio.Reader, f frame, buffer []byte) ([]byte, error) {
	if cap(buffer) < int(f.size) {
		buffer = make([]byte, f.size)
	}
	_, err := io.ReadFull(in, buffer[:f.size])
	return buffer[:f.size], err
}

// appendFrame appends a frame.
func appendFrame(to []byte, kind, conn uint32, body []byte) []byte {
	to = binary.LittleEndian.AppendUint32(to, uint32(len(body)))
	to = binary.LittleEndian.AppendUint32(to, kind)
	to = binary.LittleEndian.AppendUint32(to, conn)
	return append(to, body...)
}

// line returns a text as one line of at most lineSize bytes; a longer one ends with ….
func line(text []byte) string {
	end := ""
	if len(text) > lineSize {
		end = "…"
		text = text[:lineSize-len(end)]
	}
	words := strings.FieldsFunc(strings.ToValidUTF8(string(text), ""), func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) })
	return strings.Join(words, " ") + end
}

// fields reads the lines NAME=VALUE of a body, without the passwords of URLs.
func fields(body []byte) map[string]string {
	values := make(map[string]string)
	for line := range strings.Lines(string(body)) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok {
			values[name] = target.Redact(value)
		}
	}
	return values
}

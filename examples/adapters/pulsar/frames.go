package main

import (
	"bufio"
	"encoding/binary"
	"io"
	"sync"
)

// The types of frames of docs/adapters.md.
const (
	hello    = 1
	setup    = 2
	send     = 3
	teardown = 4
	reply    = 5
	acked    = 6
	failed   = 7
	failure  = 9
	audit    = 10
	kept     = 11
)

const (
	headSize  = 12 // of a frame
	stampSize = 16 // of a message: what identifies it
)

// A frame is one frame with its body.
type frame struct {
	kind, conn uint32
	body       []byte
}

// read reads the next frame.
func read(in *bufio.Reader) (frame, error) {
	var head [headSize]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return frame{}, err
	}
	f := frame{kind: binary.LittleEndian.Uint32(head[4:]), conn: binary.LittleEndian.Uint32(head[8:])}
	f.body = make([]byte, binary.LittleEndian.Uint32(head[:]))
	_, err := io.ReadFull(in, f.body)
	return f, err
}

// An output writes frames, each in one call. It is safe for concurrent use.
type output struct {
	mu     sync.Mutex
	to     io.Writer
	buffer []byte
}

// write writes a frame whose body has several parts. An error means that brokerbench is gone: the
// input then ends, too.
func (o *output) write(kind, conn uint32, parts ...[]byte) {
	size := 0
	for _, part := range parts {
		size += len(part)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.buffer = binary.LittleEndian.AppendUint32(o.buffer[:0], uint32(size))
	o.buffer = binary.LittleEndian.AppendUint32(o.buffer, kind)
	o.buffer = binary.LittleEndian.AppendUint32(o.buffer, conn)
	for _, part := range parts {
		o.buffer = append(o.buffer, part...)
	}
	_, _ = o.to.Write(o.buffer)
}

// answer answers a question: with a frame of the same type, or with the reason why not.
func (o *output) answer(kind, conn uint32, err error) {
	if err != nil {
		o.write(failure, conn, []byte(err.Error()))
		return
	}
	o.write(kind, conn)
}

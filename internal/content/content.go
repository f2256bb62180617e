// Package content makes the messages of a run, and checks those that come back.
package content

import (
	"encoding/binary"
	"math"
	"math/rand/v2"

	"github.com/brokerbench/brokerbench/internal/leaf/splitmix"
	"github.com/brokerbench/brokerbench/plan/payload"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester"
)

// A Body writes and checks the content behind the stamp: a pool of random bytes,
// each word xored with a key that is hashed from the stamp. So every message
// differs from every other in every word, no compressor finds a pattern, and one
// message's content under another's stamp is detected; all for one pass over the
// memory. A Body does not change after New.
type Body struct {
	pool []byte
	tail int           // bytes behind the content, which are the echo's
	mix  *schedule.Mix // draws the sizes of messages; nil: all have that of the pool and the tail
	head int           // bytes before the content that no size counts: of a stamp that travels beside the message

	files       [][]byte // that are the contents, head and tail included; nil: the pool is
	connections uint64
}

// A Config says what messages are made of.
type Config struct {
	Size  int            // bytes of a message, at least requester.StampSize; of several sizes the largest
	Sizes schedule.Sizes // drawn with the seed; "": all messages have Size
	Tail  int            // so many bytes at the end of a message are not content but an echo's
	Seed  uint64

	payload.Contents
	Connections int // over which the files are spread; 0 means 1
}

// New returns the body of valid messages.
func New(cfg Config) Body {
	if cfg.Files != nil {
		return newFiles(cfg)
	}
	size, head := cfg.Size-cfg.Tail, 0
	if cfg.Beside {
		head = requester.StampSize
	}
	draw := rand.NewPCG(cfg.Seed, 0x62726f6b65726265)
	pool := make([]byte, 0, size+8)
	for len(pool) < size {
		pool = binary.LittleEndian.AppendUint64(pool, draw.Uint64())
	}
	thin(pool[head:size], cfg.Share)
	return Body{pool: pool[:size], tail: cfg.Tail, mix: cfg.Sizes.Mix(cfg.Seed), head: head}
}

// newFiles returns the body of messages that are files. Those of the largest are in the pool, too: it is
// the probe.
func newFiles(cfg Config) Body {
	b := Body{connections: uint64(max(cfg.Connections, 1))}
	for _, file := range cfg.Files {
		if cfg.Beside {
			file = append(make([]byte, requester.StampSize), file...)
		}
		b.files = append(b.files, file)
		if len(file) > len(b.pool) {
			b.pool = file
		}
	}
	return b
}

// thinned is of how many bytes a part is left random, so that a compressor finds the rest.
const thinned = 512

// thin sets a part of every block of random bytes to zero, which Fill makes a repetition of the key: a
// compressor reduces the content to about the share. 0 leaves it as it is.
func thin(random []byte, share float64) {
	for share > 0 && len(random) > 0 {
		block := random[:min(thinned, len(random))]
		clear(block[int(math.Round(share*float64(len(block)))):])
		random = random[len(block):]
	}
}

// content returns the part of the pool that the content of a message is made of. The probe has the
// largest size.
func (b *Body) content(stamp requester.Stamp) []byte {
	switch {
	case stamp.Seq == requester.ProbeSeq:
		return b.pool
	case b.mix != nil:
		return b.pool[:b.head+b.mix.Bytes(stamp.Conn, stamp.Seq)-b.tail]
	case b.files != nil:
		return b.files[(stamp.Seq*b.connections+uint64(stamp.Conn))%uint64(len(b.files))]
	}
	return b.pool
}

// Fill writes the stamp and the content that belongs to it into the beginning of buffer, which has
// room for the largest message, and returns the message. It leaves the tail alone.
func (b *Body) Fill(buffer []byte, stamp requester.Stamp) []byte {
	stamp.Put(buffer)
	key, content := b.key(stamp), b.content(stamp)
	payload := buffer[:len(content)+b.tail]
	src, dst := content[requester.StampSize:], payload[requester.StampSize:]
	for len(src) >= 32 && len(dst) >= 32 { // four words at once take half as long
		binary.LittleEndian.PutUint64(dst, binary.LittleEndian.Uint64(src)^key)
		binary.LittleEndian.PutUint64(dst[8:], binary.LittleEndian.Uint64(src[8:])^key)
		binary.LittleEndian.PutUint64(dst[16:], binary.LittleEndian.Uint64(src[16:])^key)
		binary.LittleEndian.PutUint64(dst[24:], binary.LittleEndian.Uint64(src[24:])^key)
		src, dst = src[32:], dst[32:]
	}
	for len(src) >= 8 && len(dst) >= 8 {
		binary.LittleEndian.PutUint64(dst, binary.LittleEndian.Uint64(src)^key)
		src, dst = src[8:], dst[8:]
	}
	for i := range src {
		dst[i] = src[i] ^ byte(key>>(8*i))
	}
	return payload
}

// Matches tells whether payload is what Fill wrote for that stamp.
func (b *Body) Matches(payload []byte, stamp requester.Stamp) bool {
	content := b.content(stamp)
	if len(payload) != len(content)+b.tail {
		return false
	}
	key := b.key(stamp)
	src, dst := content[requester.StampSize:], payload[requester.StampSize:]
	for len(src) >= 32 && len(dst) >= 32 {
		if (binary.LittleEndian.Uint64(dst)^binary.LittleEndian.Uint64(src)^key)|
			(binary.LittleEndian.Uint64(dst[8:])^binary.LittleEndian.Uint64(src[8:])^key)|
			(binary.LittleEndian.Uint64(dst[16:])^binary.LittleEndian.Uint64(src[16:])^key)|
			(binary.LittleEndian.Uint64(dst[24:])^binary.LittleEndian.Uint64(src[24:])^key) != 0 {
			return false
		}
		src, dst = src[32:], dst[32:]
	}
	for len(src) >= 8 && len(dst) >= 8 {
		if binary.LittleEndian.Uint64(dst) != binary.LittleEndian.Uint64(src)^key {
			return false
		}
		src, dst = src[8:], dst[8:]
	}
	for i := range src {
		if dst[i] != src[i]^byte(key>>(8*i)) {
			return false
		}
	}
	return true
}

// Mix returns what draws the sizes; nil for one.
func (b *Body) Mix() *schedule.Mix { return b.mix }

// key hashes a stamp; 0 for files, which stay as they are.
func (b *Body) key(s requester.Stamp) uint64 {
	if b.files != nil {
		return 0
	}
	return splitmix.Mix(s.Seq*0x9e3779b97f4a7c15 + uint64(s.Run)<<32 + uint64(s.Conn))
}

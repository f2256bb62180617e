package load

import (
	"encoding/binary"
	"math/rand/v2"

	"github.com/brokerbench/brokerbench/requester"
)

// body writes and checks the content behind the stamp: a pool of random bytes,
// each word xored with a key that is hashed from the stamp. So every message
// differs from every other in every word, no compressor finds a pattern, and one
// op's content under another's stamp is detected; all for one pass over the
// memory. A body does not change after newBody.
type body struct {
	pool []byte
	tail int // bytes behind the content, which are the echo's
}

// newBody makes the pool for messages of size bytes, whose last tail bytes are not content.
func newBody(size, tail int, seed uint64) body {
	size -= tail
	draw := rand.NewPCG(seed, 0x62726f6b65726265)
	pool := make([]byte, 0, size+8)
	for len(pool) < size {
		pool = binary.LittleEndian.AppendUint64(pool, draw.Uint64())
	}
	return body{pool: pool[:size], tail: tail}
}

// fill writes the stamp and the content that belongs to it into payload, which has
// the size that newBody was given. It leaves the tail alone.
func (b body) fill(payload []byte, stamp requester.Stamp) {
	stamp.Put(payload)
	key := keyOf(stamp)
	src, dst := b.pool[requester.StampSize:], payload[requester.StampSize:]
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
}

// matches tells whether payload is what fill wrote for that stamp.
func (b body) matches(payload []byte, stamp requester.Stamp) bool {
	if len(payload) != len(b.pool)+b.tail {
		return false
	}
	key := keyOf(stamp)
	src, dst := b.pool[requester.StampSize:], payload[requester.StampSize:]
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

// keyOf hashes a stamp with the finalizer of splitmix64 (Steele, Lea, Flood:
// Fast Splittable Pseudorandom Number Generators, 2014).
func keyOf(s requester.Stamp) uint64 {
	x := s.Seq*0x9e3779b97f4a7c15 + uint64(s.Run)<<32 + uint64(s.Conn)
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

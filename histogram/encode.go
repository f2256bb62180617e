package histogram

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"math"
)

// The cookies of HdrHistogram's V2 encoding, whose words are 8 bytes at most.
const (
	v2Cookie           = 0x1c849303 | 0x10
	v2CompressedCookie = 0x1c849304 | 0x10
)

// An encoder writes histograms as an interval log has them: HdrHistogram's V2
// encoding, compressed, in base64. The library's encoder allocates 0.9 MB for each
// histogram, most of it for compressing. This one keeps its memory, because intervals
// are encoded while messages are measured. The zero value is ready for use.
type encoder struct {
	plain      []byte
	compressed bytes.Buffer
	zlib       *zlib.Writer
	text       []byte
}

// encode returns a histogram's encoding, which is valid until the next call.
//
// The format is a header of 40 bytes, and then numbers in ZigZag LEB128: the count of
// each bucket up to the last that holds values, or, for a run of empty buckets, the
// negative of their number. It differs from a varint of package binary from 2^62 on: so many
// values never are in a bucket.
func (e *encoder) encode(h *Histogram) []byte {
	e.plain = append(e.plain[:0], make([]byte, 40)...)
	e.counts(h)
	binary.BigEndian.PutUint32(e.plain[0:], v2Cookie)
	binary.BigEndian.PutUint32(e.plain[4:], uint32(len(e.plain)-40))
	binary.BigEndian.PutUint32(e.plain[8:], 0) // the normalizing index offset
	binary.BigEndian.PutUint32(e.plain[12:], uint32(h.digits))
	binary.BigEndian.PutUint64(e.plain[16:], uint64(h.low))
	binary.BigEndian.PutUint64(e.plain[24:], uint64(h.top))
	binary.BigEndian.PutUint64(e.plain[32:], math.Float64bits(1)) // from integers to doubles
	e.compress()
	head := e.compressed.Bytes()
	binary.BigEndian.PutUint32(head[0:], v2CompressedCookie)
	binary.BigEndian.PutUint32(head[4:], uint32(len(head)-8))
	e.text = base64.StdEncoding.AppendEncode(e.text[:0], head)
	return e.text
}

// Encode returns the histogram in HdrHistogram's V2 encoding, compressed and in base64, as an
// interval log has it. [Decoder.AddText] reads it.
func (h *Histogram) Encode() string { return string(new(encoder).encode(h)) }

// counts appends the counts of h.
func (e *encoder) counts(h *Histogram) {
	empty := int64(h.first)
	for _, count := range h.touched() {
		if count == 0 {
			empty++
			continue
		}
		e.zeros(empty)
		empty = 0
		e.plain = binary.AppendVarint(e.plain, count)
	}
	if h.count == 0 {
		e.zeros(1) // the library writes the first bucket of an empty histogram
	}
}

// zeros appends a run of empty buckets: one is a count of 0.
func (e *encoder) zeros(n int64) {
	switch {
	case n == 1:
		e.plain = binary.AppendVarint(e.plain, 0)
	case n > 1:
		e.plain = binary.AppendVarint(e.plain, -n)
	}
}

// compress compresses plain behind 8 bytes for the head.
func (e *encoder) compress() {
	e.compressed.Reset()
	e.compressed.Write(make([]byte, 8))
	if e.zlib == nil {
		e.zlib, _ = zlib.NewWriterLevel(&e.compressed, zlib.BestCompression) // a level that there is
	} else {
		e.zlib.Reset(&e.compressed)
	}
	_, _ = e.zlib.Write(e.plain) // a bytes.Buffer takes all
	_ = e.zlib.Close()
}

// largest returns the highest value of the last bucket that holds any.
func (h *Histogram) largest() int64 {
	if h.count == 0 {
		return 0
	}
	return h.highest(h.value(h.last))
}

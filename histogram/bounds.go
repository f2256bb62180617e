package histogram

import (
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
)

// These bound what is read, so that a file that was made to fill the memory is
// refused in its first lines.
const (
	// longestLine is the longest line of text around and in a percentile table.
	longestLine = 1 << 20
	// longestInterval is the longest line of an interval log: one of ours has 400 kB
	// if each of its buckets holds values.
	longestInterval = 16 << 20
	// mostBuckets is the largest histogram: 32 MiB, which is enough for five digits
	// from 1 ns to 1 h. Ours have 34,000 buckets.
	mostBuckets = 4 << 20
	// mostRows is the longest percentile table: the finest that HdrHistogram's tools
	// print has some thousands of rows.
	mostRows = 1 << 20
)

// A rangeCheck reads the head of encoded histograms. The zero value is ready for use.
type rangeCheck struct{ zlib io.ReadCloser }

// check refuses a histogram whose range takes too many buckets, before room is made
// for them. What else may be wrong with it is for its decoder to say.
func (h *rangeCheck) check(payload string) error {
	encoded := base64.NewDecoder(base64.StdEncoding, strings.NewReader(payload))
	var head [8 + 40]byte
	if _, err := io.ReadFull(encoded, head[:8]); err != nil || h.reset(encoded) != nil {
		return nil
	}
	if _, err := io.ReadFull(h.zlib, head[8:]); err != nil {
		return nil
	}
	plain := head[8:]
	digits := binary.BigEndian.Uint32(plain[12:])
	low, top := int64(binary.BigEndian.Uint64(plain[16:])), int64(binary.BigEndian.Uint64(plain[24:]))
	if digits >= uint32(len(subBits)) {
		return nil
	}
	g := newGeometry(max(low, 1), top, int(digits))
	if g.sub+g.unit > 62 { // more than the library takes
		return nil
	}
	if n := g.buckets(); n > mostBuckets {
		return fmt.Errorf("%d buckets, which %d digits from %d to %d take, are more than the %d that are read", n, digits, low, top, mostBuckets)
	}
	return nil
}

// reset begins to decompress.
func (h *rangeCheck) reset(compressed io.Reader) (err error) {
	if again, ok := h.zlib.(zlib.Resetter); ok {
		return again.Reset(compressed, nil)
	}
	h.zlib, err = zlib.NewReader(compressed)
	return err
}

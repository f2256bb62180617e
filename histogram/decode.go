package histogram

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"time"
)

// A Line is an entry of an interval log whose histogram is not decoded yet: a [Decoder]
// adds it to another.
type Line struct {
	Tag    string        // "" if it has none
	Start  time.Duration // from the log's start
	Length time.Duration

	at      time.Duration // as written in the line
	payload string
}

// A Decoder adds encoded histograms to others. It keeps its memory: adding one of some
// thousand values takes some ten microseconds, where decoding it into a new histogram
// takes a millisecond. The zero value is ready for use. It is for one goroutine at a
// time.
type Decoder struct {
	packed []byte
	plain  bytes.Buffer
	zlib   io.ReadCloser
}

// Limits of the logs that are read, so that a file that was made to fill the memory is refused in
// its first lines.
const (
	// longestInterval is the longest line of an interval log: brokerbench writes
	// 400 kB if each bucket holds values.
	longestInterval = 16 << 20
	// mostBuckets is the largest histogram: 32 MiB, which is enough for five digits
	// from 1 ns to 1 h. Those of [New] have 34,000 buckets.
	mostBuckets = 4 << 20
)

// errEncoding is the error for a histogram that is incomplete, or not in the V2 encoding.
var errEncoding = errors.New("decoding the histogram: it is incomplete, or not in HdrHistogram's V2 encoding")

// Add adds the histogram of a line to h. Both must have the same range and precision. The
// smallest and largest value of h are then the bounds of their buckets, see
// [Histogram.SetExtremes]. After an error h may have a part of it.
func (d *Decoder) Add(l Line, h *Histogram) error { return d.AddText(l.payload, h) }

// AddText is Add for the text of [Histogram.Encode].
func (d *Decoder) AddText(text string, h *Histogram) error {
	g, counts, err := d.unpack(text, headerBytes+binary.MaxVarintLen64*int64(len(h.counts)))
	if err == nil && g != h.geometry {
		err = fmt.Errorf("decoding the histogram: %d digits from %d to %d are not those of brokerbench's histograms", g.digits, g.low, g.top)
	}
	if err != nil {
		return err
	}
	return h.addEncoded(counts)
}

// decode returns an encoded histogram, with the range and precision of its writer.
func (d *Decoder) decode(payload string) (*Histogram, error) {
	g, counts, err := d.unpack(payload, longestInterval)
	if err != nil {
		return nil, err
	}
	if n := g.buckets(); n > mostBuckets {
		return nil, fmt.Errorf("decoding the histogram: %d buckets, which %d digits from %d to %d take, are more than the %d that are read", n, g.digits, g.low, g.top, mostBuckets)
	}
	h := newHistogram(g)
	return &h, h.addEncoded(counts)
}

// addEncoded adds encoded counts, see encoder.encode.
func (h *Histogram) addEncoded(counts []byte) error {
	for index := 0; len(counts) > 0; {
		count, n := binary.Varint(counts)
		if n <= 0 {
			return errEncoding
		}
		counts = counts[n:]
		switch {
		case count < 0 && count >= -int64(len(h.counts)):
			index += int(-count)
			continue
		case count < 0 || index >= len(h.counts) || count > math.MaxInt64-h.count:
			return errEncoding
		case count > 0:
			v := h.value(index)
			h.add(v, count)
			h.min, h.max = min(h.min, v), max(h.max, h.highest(v))
		}
		index++
	}
	return nil
}

// headerBytes is the length of what is before the counts.
const headerBytes = 40

// unpack returns the geometry and the counts of an encoded histogram of at most so many bytes. It
// refuses geometries that Java refuses.
func (d *Decoder) unpack(payload string, most int64) (g geometry, counts []byte, err error) {
	if d.packed, err = base64.StdEncoding.AppendDecode(d.packed[:0], []byte(payload)); err != nil {
		return g, nil, fmt.Errorf("decoding the histogram: %w", err)
	}
	plain, err := d.decompress(most)
	if err != nil {
		return g, nil, errEncoding
	}
	digits := binary.BigEndian.Uint32(plain[12:])
	low, top := int64(binary.BigEndian.Uint64(plain[16:])), int64(binary.BigEndian.Uint64(plain[24:]))
	if binary.BigEndian.Uint32(plain) != v2Cookie || int(binary.BigEndian.Uint32(plain[4:])) != len(plain)-headerBytes ||
		binary.BigEndian.Uint32(plain[8:]) != 0 || digits < 1 || digits >= uint32(len(subBits)) {
		return g, nil, errEncoding
	}
	g = newGeometry(low, top, int(digits))
	if low < 1 || top/2 < low || g.sub+g.unit > 62 {
		return g, nil, fmt.Errorf("decoding the histogram: its range is from %d to %d", low, top)
	}
	return g, plain[headerBytes:], nil
}

// decompress returns the header and the counts.
func (d *Decoder) decompress(most int64) (plain []byte, err error) {
	if len(d.packed) < 8 || binary.BigEndian.Uint32(d.packed) != v2CompressedCookie {
		return nil, errEncoding
	}
	if d.zlib == nil {
		d.zlib, err = zlib.NewReader(bytes.NewReader(d.packed[8:]))
	} else {
		err = d.zlib.(zlib.Resetter).Reset(bytes.NewReader(d.packed[8:]), nil) // documented
	}
	if err != nil {
		return nil, err
	}
	d.plain.Reset()
	if _, err := io.Copy(&d.plain, io.LimitReader(d.zlib, most)); err != nil || d.plain.Len() < headerBytes {
		return nil, errEncoding
	}
	return d.plain.Bytes(), nil
}

// SetExtremes sets the exact smallest and largest value of h, and how many values were
// clamped: a histogram that was read from a file has the bounds of buckets instead, and no
// number of clamped values. It is an error if least and most are not in buckets with values;
// an empty histogram ignores both.
func (h *Histogram) SetExtremes(least, most time.Duration, clamped int64) error {
	h.clamped = clamped
	if h.count == 0 {
		return nil
	}
	first, last := h.index(int64(least)), h.index(int64(most))
	if first > last || h.counts[first] == 0 || h.counts[last] == 0 {
		return fmt.Errorf("no value is in the bucket of %v, or of %v", least, most)
	}
	h.min, h.max = int64(least), int64(most)
	return nil
}

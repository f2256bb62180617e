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
	"strings"
	"time"
)

// A Line is an entry of an interval log whose histogram is not decoded yet: a [Decoder]
// adds it to another.
type Line struct {
	Tag    string        // "" if it has none
	Start  time.Duration // from the log's start
	Length time.Duration

	at      time.Duration // as it is written
	payload string
}

// NextLine returns the next entry without decoding it, and io.EOF at the end. A last line
// that has no end is left out: see [LogReader.Truncated].
func (r *LogReader) NextLine() (Line, error) {
	for {
		text, err := r.readLine()
		switch {
		case errors.Is(err, io.EOF):
			r.truncated = text != ""
			return Line{}, io.EOF
		case err != nil:
			return Line{}, fmt.Errorf("reading the interval log: after line %d: %w", r.line, err)
		}
		r.line++
		text = strings.TrimRight(text, "\r\n")
		if text == "" || text[0] == '#' || strings.HasPrefix(text, `"StartTimestamp"`) {
			if text != "" && text[0] == '#' {
				err = r.comment(text)
			}
			if err != nil {
				return Line{}, fmt.Errorf("reading the interval log: line %d: %w", r.line, err)
			}
			continue
		}
		l, err := r.undecoded(text)
		if err != nil {
			return l, fmt.Errorf("reading the interval log: line %d: %w", r.line, err)
		}
		l.Start = r.offset(l.at)
		return l, nil
	}
}

// A Decoder adds encoded histograms to others. It keeps its memory: adding one of some
// thousand values takes some ten microseconds, where decoding it into a histogram of its
// own takes a millisecond. The zero value is ready for use. It is for one goroutine at a
// time.
type Decoder struct {
	packed []byte
	plain  bytes.Buffer
	zlib   io.ReadCloser
}

// errEncoding is of what is no histogram of the kind that New makes, or not whole.
var errEncoding = errors.New("decoding the histogram: it is not one of ours, or not whole")

// Add adds the histogram of a line to h, which [New] made and which it must be like. Its
// smallest and largest value are the bounds of their buckets, see [Histogram.SetExtremes].
// After an error h may have a part of it.
func (d *Decoder) Add(l Line, h *Histogram) error {
	counts, err := d.unpack(l.payload, h)
	if err != nil {
		return err
	}
	index := 0
	for len(counts) > 0 {
		count, n := zigZag(counts)
		if n == 0 {
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

// unpack returns the counts of an encoded histogram like h.
func (d *Decoder) unpack(payload string, h *Histogram) ([]byte, error) {
	var err error
	if d.packed, err = base64.StdEncoding.AppendDecode(d.packed[:0], []byte(payload)); err != nil || len(d.packed) < 8 {
		return nil, errEncoding
	}
	if binary.BigEndian.Uint32(d.packed) != v2CompressedCookie {
		return nil, errEncoding
	}
	if d.zlib == nil {
		d.zlib, err = zlib.NewReader(bytes.NewReader(d.packed[8:]))
	} else {
		err = d.zlib.(zlib.Resetter).Reset(bytes.NewReader(d.packed[8:]), nil) // as its package says
	}
	if err != nil {
		return nil, errEncoding
	}
	d.plain.Reset()
	if _, err := io.Copy(&d.plain, io.LimitReader(d.zlib, longestInterval)); err != nil || d.plain.Len() < 40 {
		return nil, errEncoding
	}
	plain := d.plain.Bytes()
	ours := binary.BigEndian.Uint32(plain) == v2Cookie && int(binary.BigEndian.Uint32(plain[4:])) == len(plain)-40 &&
		binary.BigEndian.Uint32(plain[8:]) == 0 && int(binary.BigEndian.Uint32(plain[12:])) == h.digits &&
		int64(binary.BigEndian.Uint64(plain[16:])) == h.low && int64(binary.BigEndian.Uint64(plain[24:])) == h.top
	if !ours {
		return nil, errEncoding
	}
	return plain[40:], nil
}

// zigZag reads what appendZigZag writes, and how many bytes that is; 0 if it is cut.
func zigZag(b []byte) (v int64, n int) {
	var u uint64
	for i, one := range b {
		if i == 8 {
			u |= uint64(one) << 56
			return int64(u>>1) ^ -int64(u&1), 9
		}
		u |= uint64(one&0x7f) << (7 * i)
		if one < 0x80 {
			return int64(u>>1) ^ -int64(u&1), i + 1
		}
	}
	return 0, 0
}

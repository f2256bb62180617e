package html

import (
	"encoding/binary"
	"errors"
	"math/bits"

	"github.com/brokerbench/brokerbench/histogram"
)

// subBits is log2 of the number of values with separate buckets in histograms of
// three digits from 1 ns; assets/histogram.js has the same number.
const subBits = 11

// A sparse histogram lists the buckets that hold values, in ascending order.
type sparse []bucket

// A bucket is its index in HdrHistogram's array of counts, and how many values it
// holds.
type bucket struct{ index, count int64 }

// newSparse lists the buckets of a histogram and adds it to sum, made by
// histogram.New. It is an error if the histogram has another precision than three
// digits from 1 ns.
func newSparse(h, sum *histogram.Histogram) (sparse, error) {
	if err := sum.Merge(h); err != nil {
		return nil, err
	}
	var s sparse
	for highest, count := range h.Buckets() {
		s = append(s, bucket{indexOf(int64(highest)), count})
	}
	return s, nil
}

// indexOf returns the index of a value's bucket.
func indexOf(v int64) int64 {
	shift := max(bits.Len64(uint64(v))-subBits, 0)
	return int64(shift)<<(subBits-1) + v>>shift
}

// highestOf returns the highest value of the bucket at an index.
func highestOf(index int64) int64 {
	shift := max(index>>(subBits-1)-1, 0)
	return (index-shift<<(subBits-1)+1)<<shift - 1
}

// appendSparse appends a list of histograms as varints: first how many buckets each
// has; then all indices, as differences within a histogram; then all counts. This
// order compresses to half of what pairs of index and count do.
func appendSparse(out []byte, list []sparse) []byte {
	for _, s := range list {
		out = binary.AppendUvarint(out, uint64(len(s)))
	}
	for _, s := range list {
		before := int64(0)
		for _, b := range s {
			out = binary.AppendUvarint(out, uint64(b.index-before))
			before = b.index
		}
	}
	for _, s := range list {
		for _, b := range s {
			out = binary.AppendUvarint(out, uint64(b.count))
		}
	}
	return out
}

// readSparse reads n histograms that appendSparse wrote, and returns the rest.
func readSparse(in []byte, n int) (list []sparse, rest []byte, err error) {
	next := func() int64 {
		v, length := binary.Uvarint(in)
		if length <= 0 {
			err = errors.New("a list of buckets is cut or broken")
			return 0
		}
		in = in[length:]
		return int64(v)
	}
	for range n {
		size := next()
		if err != nil || size < 0 || size > int64(len(in)) {
			return nil, nil, errors.Join(err, errors.New("a list of buckets is too long"))
		}
		list = append(list, make(sparse, size))
	}
	for _, s := range list {
		before := int64(0)
		for i := range s {
			before += next()
			s[i].index = before
		}
	}
	for _, s := range list {
		for i := range s {
			s[i].count = next()
		}
	}
	return list, in, err
}

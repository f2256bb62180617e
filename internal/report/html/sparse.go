package html

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
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

// blob returns the detail as the page unpacks it: base64 of deflate (RFC 1951)
// of
//
//	the length of the JSON, 4 bytes, little endian
//	the JSON
//	the response histograms of all intervals, then those of service (appendSparse)
func (d *detail) blob() (string, error) {
	text, err := json.Marshal(d)
	if err != nil {
		return "", fmt.Errorf("packing %v: %w", d.Cell.Plan, err)
	}
	raw := binary.LittleEndian.AppendUint32(nil, uint32(len(text)))
	raw = append(raw, text...)
	var response, service []sparse
	for _, i := range d.Intervals {
		response, service = append(response, i.response), append(service, i.service)
	}
	return deflate(appendSparse(appendSparse(raw, response), service))
}

// deflate compresses at the default level: the classic matrix took 1.81 MB and
// 0.85 s, at the best level 1.77 MB and 1.62 s, with Huffman codes alone 2.42 MB.
func deflate(raw []byte) (string, error) {
	var packed bytes.Buffer
	compressor, err := flate.NewWriter(&packed, flate.BestCompression)
	if err != nil {
		return "", err
	}
	_, err = compressor.Write(raw)
	err = errors.Join(err, compressor.Close())
	return base64.StdEncoding.EncodeToString(packed.Bytes()), err
}

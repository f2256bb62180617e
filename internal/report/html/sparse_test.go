package html

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/results"
)

// drawn returns a histogram of n values from 1 ns to an hour.
func drawn(n int, seed uint64) *histogram.Histogram {
	r := rand.New(rand.NewPCG(1, seed))
	h := histogram.New()
	for range n {
		h.Record(time.Duration(r.Int64N(int64(time.Hour))) >> r.IntN(42))
	}
	return h
}

func mustSparse(t testing.TB, h *histogram.Histogram) sparse {
	t.Helper()
	s, err := newSparse(h, histogram.New())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Every bucket comes back with its highest value and its count.
func TestSparseHistogramsComeBack(t *testing.T) {
	var list []sparse
	for i, n := range []int{0, 1, 3, 1000, 100_000} {
		h := drawn(n, uint64(i))
		s, k := mustSparse(t, h), 0
		for highest, count := range h.Buckets() {
			if b := s[k]; highestOf(b.index) != int64(highest) || b.count != count {
				t.Fatalf("histogram %d, bucket %d: %+v ends at %d, want %d × %d", i, k, b, highestOf(b.index), count, highest)
			}
			k++
		}
		if k != len(s) {
			t.Errorf("histogram %d has %d buckets, want %d", i, len(s), k)
		}
		list = append(list, s)
	}
	got, rest, err := readSparse(appendSparse(nil, list), len(list))
	if err != nil || len(rest) != 0 || !slices.EqualFunc(got, list, slices.Equal[sparse]) {
		t.Errorf("the histograms differ, with %d bytes left: %v", len(rest), err)
	}
}

// The arithmetic is HdrHistogram's, at every edge of a bucket.
func TestIndexOf(t *testing.T) {
	for v := int64(1); v <= int64(time.Hour); v += v/100 + 1 {
		index := indexOf(v)
		if highestOf(index) < v || index > 0 && highestOf(index-1) >= v {
			t.Fatalf("%d is in the bucket from %d to %d", v, highestOf(index-1)+1, highestOf(index))
		}
		h := histogram.New()
		h.Record(time.Duration(v))
		for highest := range h.Buckets() {
			if int64(highest) != highestOf(index) {
				t.Fatalf("the bucket of %d ends at %d, want %d", v, highestOf(index), highest)
			}
		}
	}
}

// A log of another precision cannot be shown exactly, so it is not shown.
func TestOtherPrecisionIsRefused(t *testing.T) {
	coarse := hdrhistogram.New(1, int64(time.Hour), 2)
	if err := coarse.RecordValue(int64(time.Minute) + 1234567); err != nil {
		t.Fatal(err)
	}
	coarse.SetTag("response")
	coarse.SetEndTimeMs(1000)
	var text bytes.Buffer
	w := hdrhistogram.NewHistogramLogWriter(&text)
	if err := w.OutputIntervalHistogram(coarse); err != nil {
		t.Fatal(err)
	}
	log, err := histogram.ReadLog(&text)
	if err != nil || len(log.Entries) != 1 {
		t.Fatalf("%d entries: %v", len(log.Entries), err)
	}
	if _, err := newSparse(log.Entries[0].Histogram, histogram.New()); err == nil || !strings.Contains(err.Error(), "2 digits") {
		t.Errorf("two digits: %v", err)
	}
}

// The blob holds the detail as JSON and every histogram.
func TestBlobComesBack(t *testing.T) {
	d := &detail{
		Cell: &results.Cell{ID: "a </script> cell"},
		Intervals: []*interval{
			{From: 0, To: 1000, Lag: &brief{1, 2, 3}, response: mustSparse(t, drawn(5000, 1)), service: sparse{}},
			{From: 1000, To: 2000, response: sparse{}, service: mustSparse(t, drawn(5000, 2))},
		},
	}
	blob, err := d.blob()
	if err != nil || strings.ContainsAny(blob, "<>&\"\n") {
		t.Fatalf("%.80q …, %v", blob, err)
	}
	packed, err := base64.StdEncoding.DecodeString(blob)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(flate.NewReader(bytes.NewReader(packed)))
	if err != nil {
		t.Fatal(err)
	}
	length := binary.LittleEndian.Uint32(raw)
	var got detail
	if err := json.Unmarshal(raw[4:4+length], &got); err != nil {
		t.Fatal(err)
	}
	response, raw, err := readSparse(raw[4+length:], 2)
	service, raw, broken := readSparse(raw, 2)
	if err != nil || broken != nil || len(raw) != 0 || len(got.Intervals) != 2 {
		t.Fatalf("%+v, %d bytes left: %v, %v", got, len(raw), err, broken)
	}
	for i, each := range got.Intervals {
		each.response, each.service = response[i], service[i]
	}
	if !reflect.DeepEqual(&got, d) {
		t.Errorf("got %+v, want %+v", got, d)
	}
}

func FuzzReadSparse(f *testing.F) {
	f.Add([]byte{}, 1)
	f.Add(appendSparse(nil, []sparse{{{1, 2}, {5, 3}}, nil}), 2)
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0x0f}, 3)
	f.Fuzz(func(t *testing.T, in []byte, n int) {
		n = min(max(n, 0), 100)
		list, rest, err := readSparse(in, n)
		if err != nil {
			return
		}
		again, left, err := readSparse(appendSparse(nil, list), n)
		if err != nil || len(left) != 0 || len(rest) > len(in) || !reflect.DeepEqual(again, list) {
			t.Errorf("%v came back as %v, %v", list, again, err)
		}
	})
}

// A second of 3,000 replies is about a kilobyte, both series together.
func BenchmarkBlob(b *testing.B) {
	d := &detail{Cell: &results.Cell{}}
	r := rand.New(rand.NewPCG(1, 2))
	for range 30 {
		h := histogram.New()
		for range 3000 {
			h.Record(time.Duration(150_000 + 30_000*r.NormFloat64() + 50_000*r.ExpFloat64()))
		}
		d.Intervals = append(d.Intervals, &interval{response: mustSparse(b, h), service: mustSparse(b, h)})
	}
	size := 0
	for b.Loop() {
		blob, err := d.blob()
		if err != nil {
			b.Fatal(err)
		}
		size = len(blob)
	}
	b.ReportMetric(float64(size)/30, "B/interval")
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

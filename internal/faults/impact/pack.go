package impact

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/brokerbench/brokerbench/internal/record"
)

// A packed snapshot is compressed numbers, little-endian, in lists that begin with their length. The
// coordinator knows each length from the plan, or how large it may be, before it makes the list: an
// agent that is broken or hostile cannot fill its memory.

// pack encodes a snapshot.
func (s snapshot) pack() ([]byte, error) {
	var packed bytes.Buffer
	zipped, err := flate.NewWriter(&packed, flate.BestSpeed) // most counts of slots are 0
	if err != nil {
		return nil, fmt.Errorf("encoding the impact of faults: %w", err)
	}
	w := packer{to: zipped}
	pauses, err := json.Marshal(s.Pauses)
	put(&w, []int64{s.WorstWarmup, s.WorstBefore})
	put(&w, []bool{s.Audited})
	put(&w, pauses)
	put(&w, s.Slots.List)
	for _, g := range []*connGaps{s.Deliveries, s.Acks} {
		w.gaps(&g.All)
		w.length(len(g.Each))
		for i := range g.Each {
			w.gaps(&g.Each[i])
		}
	}
	for _, marks := range []record.BitmapSnapshot{s.Done, s.Failed, s.Acked, s.Lost} {
		w.length(len(marks))
		for _, pages := range marks {
			w.length(len(pages))
			for _, page := range pages {
				put(&w, page)
			}
		}
	}
	if err = errors.Join(err, w.err, zipped.Close()); err != nil {
		return nil, fmt.Errorf("encoding the impact of faults: %w", err)
	}
	return packed.Bytes(), nil
}

// A packer writes lists until the first error.
type packer struct {
	to  io.Writer
	err error
}

func (w *packer) length(n int) {
	if w.err == nil {
		w.err = binary.Write(w.to, binary.LittleEndian, uint32(n))
	}
}

func put[T any](w *packer, list []T) {
	w.length(len(list))
	if w.err == nil && len(list) > 0 {
		w.err = binary.Write(w.to, binary.LittleEndian, list)
	}
}

func (w *packer) gaps(g *gaps) {
	put(w, []int64{g.First, g.Last})
	put(w, g.Least)
	w.length(len(g.Kept))
	for _, part := range g.Kept {
		put(w, part)
	}
}

// mostPauses is the longest text of the pauses of consumers.
const mostPauses = 1 << 16

// unpack decodes the snapshot of part i of so many.
func (r *recorder) unpack(packed []byte, part, of int) (s snapshot, err error) {
	u := unpacker{from: flate.NewReader(bytes.NewReader(packed))}
	connections, periods := (r.connections-part+of-1)/of, len(r.deliveries.All.Kept)
	worst, audited, pauses := take[int64](&u, 2, 2), take[bool](&u, 1, 1), take[byte](&u, 0, mostPauses)
	s.Slots = &slots{List: take[slot](&u, len(r.slots.List), len(r.slots.List))}
	for _, to := range []**connGaps{&s.Deliveries, &s.Acks} {
		g := new(connGaps)
		u.gaps(&g.All, periods, keptOfParts)
		if n := u.length(0, connections); n > 0 {
			g.Each = make([]gaps, u.exactly(n, connections))
		}
		for i := range g.Each {
			u.gaps(&g.Each[i], periods, keptGaps)
		}
		*to = g
	}
	due := r.dues().Until(r.cell.Settings.Warmup + r.cell.Settings.Duration)
	pages := record.PagesOf(2*due/int64(r.connections) + 1)
	for _, to := range []*record.BitmapSnapshot{&s.Done, &s.Failed, &s.Acked, &s.Lost} {
		*to = make(record.BitmapSnapshot, u.length(0, connections))
		for conn := range *to {
			(*to)[conn] = make([][]uint64, u.length(0, pages))
			for i := range (*to)[conn] {
				(*to)[conn][i] = take[uint64](&u, 0, record.PageWords)
			}
		}
	}
	if u.err == nil {
		u.err = json.Unmarshal(pauses, &s.Pauses)
	}
	for _, p := range s.Pauses {
		if p == nil && u.err == nil {
			u.err = errLength
		}
	}
	if u.err != nil {
		return s, fmt.Errorf("decoding the impact of faults: %w", u.err)
	}
	s.WorstWarmup, s.WorstBefore, s.Audited = worst[0], worst[1], audited[0]
	return s, nil
}

// errLength is the error of a list that is not as long as the plan says.
var errLength = errors.New("it is not of this cell")

// An unpacker reads lists until the first error; then all of them are empty.
type unpacker struct {
	from io.Reader
	err  error
}

// length reads the length of a list, which is between two numbers.
func (u *unpacker) length(least, most int) int {
	var n uint32
	if u.err == nil {
		u.err = binary.Read(u.from, binary.LittleEndian, &n)
	}
	if u.err == nil && (int64(n) < int64(least) || int64(n) > int64(most)) {
		u.err = errLength
	}
	if u.err != nil {
		return 0
	}
	return int(n)
}

// exactly returns n, which must be the wanted length.
func (u *unpacker) exactly(n, want int) int {
	if n != want {
		u.err = errLength
		return 0
	}
	return n
}

func take[T any](u *unpacker, least, most int) []T {
	list := make([]T, u.length(least, most))
	if u.err == nil && len(list) > 0 {
		u.err = binary.Read(u.from, binary.LittleEndian, list)
	}
	return list
}

func (u *unpacker) gaps(g *gaps, periods, kept int) {
	ends := take[int64](u, 2, 2)
	g.Least = take[int64](u, periods, periods)
	g.Kept = make([][]gap, u.length(periods, periods))
	for i := range g.Kept {
		g.Kept[i] = take[gap](u, kept, kept)
	}
	if u.err == nil {
		g.First, g.Last = ends[0], ends[1]
	}
}

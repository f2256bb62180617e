package impact

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"io"
	"runtime"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/record"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/results"
)

// compressed compresses a text, as parts of agents are.
func compressed(t testing.TB, text []byte) []byte {
	t.Helper()
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.HuffmanOnly)
	if err == nil {
		_, err = w.Write(text)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

// Lists that are longer than the plan says are refused before there is memory for them.
func TestAPartThatIsLargerThanItsCell(t *testing.T) {
	cell := cellOf(1000, 6*second)
	cell.Settings.Faults = killsAt(2 * second)
	whole, err := newRecorder(cell, true).snapshot(record.NewBitmap(1)).pack()
	if err != nil {
		t.Fatal(err)
	}
	d := New(cell, Options{})
	if err := d.AddPart(whole, "a", 0, 1); err != nil {
		t.Fatal(err)
	}
	before := binary.LittleEndian.AppendUint32(nil, 2) // the two worst
	before = append(before, make([]byte, 16)...)
	before = append(binary.LittleEndian.AppendUint32(before, 1), 0)       // audited
	before = append(binary.LittleEndian.AppendUint32(before, 2), "[]"...) // pauses
	for name, n := range map[string]uint32{"four billion slots": 1<<32 - 1, "no slots": 0} {
		text := append(binary.LittleEndian.AppendUint32(bytes.Clone(before), n), make([]byte, 1<<20)...)
		packed := compressed(t, text)
		var was, is runtime.MemStats
		runtime.ReadMemStats(&was)
		err := d.AddPart(packed, "a", 0, 1)
		runtime.ReadMemStats(&is)
		if took := is.TotalAlloc - was.TotalAlloc; !errors.Is(err, errLength) || took > 8<<20 {
			t.Errorf("%s: %v, %d MiB", name, err, took>>20)
		}
	}
}

// Whatever an agent delivers is an error, or can be assessed. The part is that of a cell with some
// bytes replaced, and cut short: as a whole it would be too large to fuzz.
func FuzzAddPart(f *testing.F) {
	cell := cellOf(1000, 500*ms)
	cell.Settings.Faults = killsAt(100 * ms)
	r := newRecorder(cell, true)
	r.Record(load.Op{Due: second, Sent: second, Done: 1100 * ms})
	whole, err := r.snapshot(record.NewBitmap(1)).pack()
	if err != nil {
		f.Fatal(err)
	}
	part, err := io.ReadAll(flate.NewReader(bytes.NewReader(whole)))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(uint(0), []byte(nil), uint(0))
	for at := range 60 { // lengths stand at both ends
		f.Add(uint(at), []byte{0xff, 0xff, 0xff, 0xff}, uint(0))
		f.Add(uint(len(part)-1-at), []byte{3}, uint(at/2))
	}
	f.Fuzz(func(t *testing.T, at uint, more []byte, cut uint) {
		text := bytes.Clone(part)
		copy(text[at%uint(len(text)):], more)
		text = text[:uint(len(text))-cut%uint(len(text))]
		d, c := New(cell, Options{Injector: &scripted{faults: made(cell)}}), &results.Cell{Plan: cell}
		d.Begin(nil, time.Now())
		d.Heal()
		if d.AddPart(compressed(t, text), "a", 0, 1) == nil {
			d.AssessParts(c, load.Outcome{DueTill: 1500 * ms})
		}
	})
}

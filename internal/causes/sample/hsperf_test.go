package sample

import (
	"encoding/binary"
	"testing"
)

// perfFile returns the file of a JVM with some counters.
func perfFile(order binary.AppendByteOrder, little byte, names ...string) []byte {
	text := binary.BigEndian.AppendUint32(nil, perfMagic)
	text = append(text, little, 2, 0, 1)
	text = append(text, make([]byte, 16)...)
	text = order.AppendUint32(text, perfPrologue)
	text = order.AppendUint32(text, uint32(len(names)))
	for i, name := range names {
		entry := append([]byte(name), 0)
		for (perfEntry+len(entry))%8 != 0 {
			entry = append(entry, 0)
		}
		data := perfEntry + len(entry)
		text = order.AppendUint32(text, uint32(data+8))
		text = order.AppendUint32(text, perfEntry)
		text = order.AppendUint32(text, 0)
		text = append(text, 'J', 0, 0, 0)
		text = order.AppendUint32(text, uint32(data))
		text = append(text, entry...)
		text = order.AppendUint64(text, uint64(1000+i))
	}
	return text
}

func TestCountersOfAJVM(t *testing.T) {
	for _, row := range []struct {
		order  binary.AppendByteOrder
		little byte
	}{{binary.LittleEndian, 1}, {binary.BigEndian, 0}} {
		text := perfFile(row.order, row.little, "sun.os.hrt.frequency", "sun.gc.collector.0.time", "java.ci.totalTime")
		got := make(map[string]int64)
		counters(text, func(name string, at, value int64) {
			got[name] = value
			var order binary.ByteOrder = binary.BigEndian
			if row.little == 1 {
				order = binary.LittleEndian
			}
			if again := int64(order.Uint64(text[at:])); again != value {
				t.Errorf("%s: %d is at its place, not %d", name, again, value)
			}
		})
		if len(got) != 3 || got["sun.os.hrt.frequency"] != 1000 || got["sun.gc.collector.0.time"] != 1001 {
			t.Errorf("%v: got %v", row.order, got)
		}
	}
}

func FuzzCounters(f *testing.F) {
	f.Add(perfFile(binary.LittleEndian, 1, "a", "bb"))
	f.Add(perfFile(binary.BigEndian, 0, "sun.gc.collector.0.time"))
	f.Add([]byte{0xca, 0xfe, 0xc0, 0xc0})
	f.Fuzz(func(t *testing.T, text []byte) {
		counters(text, func(_ string, at, _ int64) {
			if at < 0 || at+8 > int64(len(text)) {
				t.Errorf("a counter is at %d of %d bytes", at, len(text))
			}
		})
	})
}

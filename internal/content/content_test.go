package content_test

import (
	"slices"
	"testing"

	"github.com/brokerbench/brokerbench/internal/content"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester"
)

func TestBodiesDifferAndAreChecked(t *testing.T) {
	for _, size := range []int{16, 17, 23, 24, 31, 100, 1024} {
		b := content.New(content.Config{Size: size, Seed: 1})
		first, second := make([]byte, size), make([]byte, size)
		b.Fill(first, requester.Stamp{Run: 1, Seq: 1})
		b.Fill(second, requester.Stamp{Run: 1, Seq: 2})
		if size > 24 && slices.Equal(first[16:24], second[16:24]) {
			t.Errorf("%d B: two messages have the same content", size)
		}
		if !b.Matches(first, requester.Stamp{Run: 1, Seq: 1}) {
			t.Errorf("%d B: a message does not match itself", size)
		}
		if size > 16 && b.Matches(first, requester.Stamp{Run: 1, Seq: 2}) {
			t.Errorf("%d B: a message matches another's stamp", size)
		}
		for i := 16; i < size; i++ {
			first[i] ^= 0x40
			if b.Matches(first, requester.Stamp{Run: 1, Seq: 1}) {
				t.Fatalf("%d B: a flipped bit in byte %d is not noticed", size, i)
			}
			first[i] ^= 0x40
		}
		if b.Matches(first[:size-1], requester.Stamp{Run: 1, Seq: 1}) {
			t.Errorf("%d B: a short message matches", size)
		}
	}
}

// A message of several sizes has the one that the seed draws, and the probe the largest.
func TestAMessageHasTheSizeThatIsDrawn(t *testing.T) {
	const sizes = schedule.Sizes("256B:90%,65536B:10%")
	b, mix := content.New(content.Config{Size: 65536, Sizes: sizes, Tail: 8, Seed: 9}), sizes.Mix(9)
	buffer := make([]byte, 65536)
	for seq := range uint64(100) {
		stamp := requester.Stamp{Run: 1, Conn: 2, Seq: seq}
		message := b.Fill(buffer, stamp)
		if want := mix.Bytes(2, seq); len(message) != want || !b.Matches(message, stamp) {
			t.Errorf("message %d has %d B, want %d", seq, len(message), want)
		}
		other := append(message[:len(message):len(message)], 0)
		if b.Matches(other, stamp) || b.Matches(message[:len(message)-1], stamp) {
			t.Errorf("message %d matches with another size", seq)
		}
	}
	if probe := b.Fill(buffer, requester.Stamp{Seq: requester.ProbeSeq}); len(probe) != 65536 {
		t.Errorf("the probe has %d B", len(probe))
	}
}

package content_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math"
	"testing"

	"github.com/brokerbench/brokerbench/internal/content"
	"github.com/brokerbench/brokerbench/plan/payload"
	"github.com/brokerbench/brokerbench/requester"
)

// gzip reduces messages to about the share, one by one and in batches of messages, which differ.
func TestACompressorReducesMessagesToTheShare(t *testing.T) {
	for _, share := range []float64{0, 0.1, 0.5, 0.9} {
		for _, size := range []int{4 << 10, 64 << 10} {
			for _, batch := range []int{1, 16} {
				b := content.New(content.Config{Size: size, Seed: 3, Contents: payload.Contents{Share: share}})
				var packed bytes.Buffer
				w := gzip.NewWriter(&packed)
				for seq := range uint64(batch) {
					_, _ = w.Write(b.Fill(make([]byte, size), requester.Stamp{Run: 7, Seq: seq}))
				}
				_ = w.Close()
				want := share
				if share == 0 {
					want = 1 // random bytes
				}
				if got := float64(packed.Len()) / float64(batch*size); math.Abs(got-want) > 0.03 {
					t.Errorf("%v of %d messages of %d B: gzip reduces them to %.3f", share, batch, size, got)
				}
			}
		}
	}
}

// A message is one of the files, in order over all connections; its stamp is beside it, or in its first bytes.
func TestMessagesThatAreFiles(t *testing.T) {
	files := [][]byte{bytes.Repeat([]byte("a"), 16), bytes.Repeat([]byte("b"), 300), bytes.Repeat([]byte("c"), 33)}
	for _, beside := range []bool{true, false} {
		size := 300
		if beside {
			size += requester.StampSize
		}
		b := content.New(content.Config{Size: size, Seed: 3, Connections: 2, Contents: payload.Contents{Files: files, Beside: beside}})
		buffer := make([]byte, size)
		for n := range uint64(12) {
			stamp := requester.Stamp{Run: 7, Conn: uint32(n % 2), Seq: n / 2}
			message, file := b.Fill(buffer, stamp), files[n%3]
			got, ok := requester.ReadStamp(message)
			rest := file
			if !beside {
				rest = file[requester.StampSize:]
			}
			if !ok || got != stamp || !bytes.Equal(message[requester.StampSize:], rest) {
				t.Errorf("beside %v: message %d is %q with the stamp %v", beside, n, message[requester.StampSize:], got)
			}
			stamp.Seq++ // has another file
			if !b.Matches(message, got) || b.Matches(message, stamp) {
				t.Errorf("beside %v: message %d matches %v, or does not match %v", beside, n, stamp, got)
			}
		}
		if probe := b.Fill(buffer, requester.Stamp{Seq: requester.ProbeSeq}); len(probe) != size {
			t.Errorf("the probe has %d B, want the largest file", len(probe))
		}
	}
}

// Random contents are those of earlier versions: a run with the same seed sends the same bytes.
func TestRandomContentsStayTheSame(t *testing.T) {
	b := content.New(content.Config{Size: 40, Seed: 1})
	got := fmt.Sprintf("%x", b.Fill(make([]byte, 40), requester.Stamp{Run: 1, Conn: 2, Seq: 3}))
	if want := "00000001000000020000000000000003dc75f09b8a2784a42fa3a6ed08b320114b08bc43a1c985c5"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

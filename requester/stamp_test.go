package requester_test

import (
	"bytes"
	"testing"

	"github.com/brokerbench/brokerbench/requester"
)

func TestReadStampOfTooLittle(t *testing.T) {
	for n := range requester.StampSize {
		if s, ok := requester.ReadStamp(make([]byte, n)); ok || s != (requester.Stamp{}) {
			t.Errorf("%d bytes hold the stamp %+v", n, s)
		}
	}
}

func TestCheckSize(t *testing.T) {
	if err := requester.CheckSize(requester.StampSize); err != nil {
		t.Errorf("the smallest size: %v", err)
	}
	err := requester.CheckSize(12)
	if want := "size 12 B is below the 16 B a stamp needs"; err == nil || err.Error() != want {
		t.Errorf("CheckSize(12) = %v, want %s", err, want)
	}
}

func FuzzStamp(f *testing.F) {
	f.Add(uint32(1), uint32(2), uint64(3), []byte("0123456789abcdef and more"))
	f.Add(uint32(0), ^uint32(0), ^uint64(0), []byte("short"))
	f.Fuzz(func(t *testing.T, run, conn uint32, seq uint64, payload []byte) {
		if read, ok := requester.ReadStamp(payload); ok {
			again := bytes.Clone(payload)
			read.Put(again)
			if !bytes.Equal(again, payload) {
				t.Fatalf("%x is read as %+v, which is written as %x", payload, read, again)
			}
		} else if len(payload) >= requester.StampSize {
			t.Fatalf("%d bytes hold no stamp", len(payload))
		}
		want := requester.Stamp{Run: run, Conn: conn, Seq: seq}
		buffer := append(make([]byte, requester.StampSize), payload...)
		want.Put(buffer)
		if got, ok := requester.ReadStamp(buffer); !ok || got != want {
			t.Fatalf("%+v comes back as %+v, %v", want, got, ok)
		}
		if !bytes.Equal(buffer[requester.StampSize:], payload) {
			t.Fatal("Put changes what is behind the stamp")
		}
	})
}

package requester_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/requester"
)

func TestAStampTravelsInAHeader(t *testing.T) {
	payload := make([]byte, 20)
	stamp := requester.Stamp{Run: 1, Conn: 2, Seq: 0xabcdef}
	stamp.Put(payload)
	copy(payload[requester.StampSize:], "text")
	value, message := requester.Headers{Stamp: true}.Split(payload)
	if value != "00000001000000020000000000abcdef" || string(message) != "text" {
		t.Errorf("header %q, message %q", value, message)
	}
	if got := requester.Join(nil, value, message); !bytes.Equal(got, payload) {
		t.Errorf("joined: %x", got)
	}
	if value, message = (requester.Headers{}).Split(payload); value != "" || !bytes.Equal(message, payload) {
		t.Errorf("without headers: header %q, message %x", value, message)
	}
	for _, broken := range []string{"", "00", strings.Repeat("x", 32), strings.Repeat("0", 34)} {
		if got := requester.Join(nil, broken, message); !bytes.Equal(got, message) {
			t.Errorf("a header of %q: %x", broken, got)
		}
	}
}

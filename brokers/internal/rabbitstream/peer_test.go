package rabbitstream

import (
	"bytes"
	"testing"
)

// answer is what RabbitMQ says, with two properties.
var answer = append([]byte{0x80, 0x11, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 2},
	"\x00\x07product\x00\x08RabbitMQ\x00\x07version\x00\x054.0.5"...)

func TestReadPeer(t *testing.T) {
	got, err := readPeer(answer)
	if err != nil || got["product"] != "RabbitMQ" || got["version"] != "4.0.5" || len(got) != 2 {
		t.Fatal(got, err)
	}
	for n := range answer {
		if got, err := readPeer(answer[:n]); err == nil && n != 14 && n != 14+19 {
			t.Errorf("cut at %d: %v", n, got)
		}
	}
}

func FuzzReadPeer(f *testing.F) {
	f.Add(answer)
	f.Add([]byte{0x80, 0x11, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1, 0xff, 0xff})
	f.Fuzz(func(_ *testing.T, b []byte) { _, _ = readPeer(b) })
}

// A conversation is what one writes and what one reads.
type conversation struct {
	bytes.Buffer
	said bytes.Buffer
}

func (c *conversation) Write(b []byte) (int, error) { return c.said.Write(b) }

func TestAskPeerBoundsTheAnswer(t *testing.T) {
	for _, says := range []string{"\xff\xff\xff\xff", "\x00\x00\x00\x01x", "HTTP/1.1 400 Bad Request\r\n"} {
		var c conversation
		c.WriteString(says)
		if got, err := askPeer(&c); err == nil {
			t.Errorf("%q: %v", says, got)
		}
	}
}

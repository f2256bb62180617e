package transport

import (
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

// A fallen socket has words to read, and fails to write.
type fallen struct {
	net.Conn
	words io.Reader
}

func (f fallen) Read(b []byte) (int, error)      { return f.words.Read(b) }
func (f fallen) Write([]byte) (int, error)       { return 0, errors.New("broken pipe") }
func (f fallen) SetReadDeadline(time.Time) error { return nil }

func falling(words string) *HandshakeConn {
	return &HandshakeConn{Conn: fallen{words: strings.NewReader(words)}}
}

func TestReasonIsReadAfterAWriteThatFailed(t *testing.T) {
	for words, want := range map[string]string{
		"-ERR max number of clients reached\r\n":             "ERR max number of clients reached",
		"INFO {}\r\n-ERR 'maximum connections exceeded'\r\n": "ERR 'maximum connections exceeded'",
		"+OK\r\n": "",
		"\x17\x03\x03\n-\x9a\xd2ERR\x01\r\n-ERR \xff\n": "", // encrypted
		"": "",
		"INFO {}\r\n" + strings.Repeat("x", mostHeard+1) + "\r\n-ERR no\r\n": "",
	} {
		c := falling(words)
		if _, err := c.Write([]byte("PING")); err == nil {
			t.Fatal("no error")
		}
		if got := c.Reason(); got != want {
			t.Errorf("after %.50q: %q, want %q", words, got, want)
		}
	}
}

func TestReasonIsReadInTheHandshake(t *testing.T) {
	c := falling("-ERR full\r\n")
	if _, err := io.ReadAll(c); err != nil {
		t.Fatal(err)
	}
	if got := c.Reason(); got != "ERR full" {
		t.Errorf("%q", got)
	}
	c.Settled()
	if got := c.Reason(); got != "" {
		t.Errorf("settled: %q", got)
	}
}

func TestASettledConnectionKeepsNothing(t *testing.T) {
	c := falling("-ERR slow\r\n")
	c.Settled()
	if _, err := c.Write(nil); err == nil || c.Reason() != "" {
		t.Errorf("%v, %q", err, c.Reason())
	}
	if (*HandshakeConn)(nil).Reason() != "" {
		t.Error("no connection has a reason")
	}
}

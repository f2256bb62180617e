package kafka

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

func TestExplainNamesTheRemedy(t *testing.T) {
	f := open(t, "kafka://u:geheim@h?sasl=plain&max-message-bytes=4096&replication-factor=7", "")
	tests := []struct {
		err  error
		want string
	}{
		{kerr.SaslAuthenticationFailed, "correct user and password"},
		{kerr.UnsupportedSaslMechanism, "sasl=plain"},
		{kerr.IllegalSaslState, "leave out user and sasl"},
		{kerr.MessageTooLarge, "max-message-bytes=4096"},
		{kerr.InvalidReplicationFactor, "replication-factor=7"},
		{kerr.PolicyViolation, "policy"},
		{kerr.TopicAuthorizationFailed, "must be allowed"},
		{kerr.TopicAlreadyExists, "another run"},
		{kerr.NotEnoughReplicas, "min.insync.replicas"},
		{fmt.Errorf("as u:geheim: %w", new(kgo.ErrFirstReadEOF)), "check the scheme"},
		{io.EOF, "closed the connection"},
	}
	for _, tt := range tests {
		text := f.explain("testing", tt.err).Error()
		if !strings.Contains(text, tt.want) || !strings.HasPrefix(text, "kafka://u:xxxxx@h") || strings.Contains(text, "geheim") {
			t.Errorf("%v is explained as %q; want the target and %q", tt.err, text, tt.want)
		}
	}
	if err := f.explain("testing", nil); err != nil {
		t.Errorf("explain(nil) = %v", err)
	}
	once := f.explain("testing", kerr.MessageTooLarge)
	if again := f.explain("more", once); !errors.Is(again, once) {
		t.Errorf("explained twice: %v", again)
	}
}

// refusing returns an address at which nothing listens.
func refusing(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func TestBrokerDown(t *testing.T) {
	f := open(t, "kafka://"+refusing(t)+","+refusing(t), "")
	l := newLink(t, f, 0)
	_, described := f.Describe(t.Context())
	for _, err := range []error{described, l.Setup(t.Context())} {
		if err == nil || !strings.Contains(err.Error(), "nothing listens there") || !strings.Contains(err.Error(), f.target.String()) {
			t.Errorf("error %v; want the target and the remedy", err)
		}
	}
	if err := l.Request(t.Context(), brokertest.Payload(0, 0, 16)); !errors.Is(err, errNotSetUp) {
		t.Errorf("Request after a failed Setup: %v", err)
	}
}

// A server that accepts and never answers must not hold Setup beyond its context.
func TestSilentServer(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	l := newLink(t, open(t, "kafka://"+silent.Addr().String(), ""), 0)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := l.Setup(ctx); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "is it this kind of broker") {
		t.Errorf("Setup: %v", err)
	}
}

func TestNoKafka(t *testing.T) {
	other, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	go func() {
		for {
			c, err := other.Accept()
			if err != nil {
				return
			}
			_, _ = io.WriteString(c, "INFO {}\r\n")
		}
	}()
	_, err = open(t, "kafka://"+other.Addr().String(), "").Describe(t.Context())
	if err == nil || !strings.Contains(err.Error(), "no Kafka broker") {
		t.Errorf("Describe: %v", err)
	}
}

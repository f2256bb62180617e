package kafka

import (
	"context"
	"fmt"
	"net/url"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/requester/requestertest"
	"github.com/twmb/franz-go/pkg/kadm"
)

func TestConformance(t *testing.T) {
	requestertest.Run(t, open(t, brokertest.URL(t, "KAFKA"), ""))
}

func TestRoundTrip(t *testing.T) {
	url := brokertest.URL(t, "KAFKA")
	for _, options := range combinations() {
		t.Run(options, func(t *testing.T) { testSizes(t, open(t, url, options)) })
	}
}

func TestConnectionsDoNotCross(t *testing.T) {
	testConnectionsDoNotCross(t, open(t, brokertest.URL(t, "KAFKA"), ""), 100)
}

func TestDescribe(t *testing.T) {
	d, err := open(t, brokertest.URL(t, "KAFKA"), "acks=all").Describe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	major, _, _ := strings.Cut(d.Version, ".")
	if n, err := strconv.Atoi(major); err != nil || n < 1 || !strings.Contains(d.Version, "guessed from ApiVersions; metadata.version") {
		t.Errorf("version %q", d.Version)
	}
}

// mechanisms are those that deploy/local/brokers lets the user prove itself with.
var mechanisms = []string{"plain", "scram-sha-256", "scram-sha-512"}

// secured returns the URL of the broker that wants TLS and a password, with the
// mechanism and, if it is not "", another password.
func secured(t *testing.T, mechanism, password string) string {
	t.Helper()
	u, err := url.Parse(brokertest.URL(t, "KAFKA_TLS"))
	if err != nil {
		t.Fatal(err)
	}
	query := u.Query()
	query.Set("sasl", mechanism)
	u.RawQuery = query.Encode()
	if password != "" {
		u.User = url.UserPassword(u.User.Username(), password)
	}
	return u.String()
}

func TestTLSAndPassword(t *testing.T) {
	for _, mechanism := range mechanisms {
		t.Run(mechanism, func(t *testing.T) {
			f := open(t, secured(t, mechanism, ""), "")
			if _, err := f.Describe(t.Context()); err != nil {
				t.Error(err)
			}
			testSizes(t, f)
		})
	}
}

func TestWrongPassword(t *testing.T) {
	for _, mechanism := range mechanisms {
		t.Run(mechanism, func(t *testing.T) {
			f := open(t, secured(t, mechanism, "geheim"), "")
			err := newLink(t, f, 0).Setup(t.Context())
			wantFault(t, f, err, "correct user and password")
		})
	}
}

func TestWrongScheme(t *testing.T) {
	plain := open(t, strings.Replace(brokertest.URL(t, "KAFKA"), "kafka:", "kafka+tls:", 1), "")
	_, err := plain.Describe(t.Context())
	wantFault(t, plain, err, "check the scheme")
	u, _ := url.Parse(secured(t, "plain", ""))
	tls := open(t, "kafka://"+u.Host, "")
	_, err = tls.Describe(t.Context())
	wantFault(t, tls, err, "use the scheme kafka+tls")
}

func TestUnknownAuthority(t *testing.T) {
	u, _ := url.Parse(secured(t, "plain", ""))
	f := open(t, "kafka+tls://"+u.Host, "")
	_, err := f.Describe(t.Context())
	wantFault(t, f, err, "tls-ca")
	f = open(t, "kafka+tls://"+u.User.String()+"@"+u.Host, "tls-insecure=true&sasl=plain")
	if _, err := f.Describe(t.Context()); err != nil {
		t.Errorf("with tls-insecure: %v", err)
	}
}

func TestTooManyReplicas(t *testing.T) {
	f := open(t, brokertest.URL(t, "KAFKA"), "replication-factor=1000")
	wantFault(t, f, newLink(t, f, 0).Setup(t.Context()), "lower the option replication-factor=1000")
}

// wantFault wants an error of one line that names the target and the remedy, and
// no password.
func wantFault(t *testing.T, f *Factory, err error, remedy string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error; want %q", remedy)
	}
	text := err.Error()
	if !strings.HasPrefix(text, f.target.String()+": ") || !strings.Contains(text, remedy) || strings.Contains(text, "\n") || strings.Contains(text, "geheim") {
		t.Errorf("error %q; want the target and %q", text, remedy)
	}
}

// The broker's limit may be lower than ours, as when somebody changes the topic.
func TestMessageLargerThanTheBrokerTakes(t *testing.T) {
	f := open(t, brokertest.URL(t, "KAFKA"), "")
	l := connect(t, f, 0)
	limit := "2000"
	err := f.admin(t.Context(), func(admin *kadm.Client) error {
		_, err := admin.AlterTopicConfigs(t.Context(), []kadm.AlterConfig{{Name: "max.message.bytes", Value: &limit}}, l.topic)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for seq := range uint64(1000) { // the change takes a moment to reach the partition
		l.send(t, brokertest.Payload(0, seq, 10_000))
		select {
		case err := <-l.failures:
			wantFault(t, f, err, "message.max.bytes")
			l.roundTrip(t, brokertest.Payload(0, seq, 1000))
			return
		case <-l.replies:
		case <-time.After(patience):
			t.Fatal("neither a reply nor a failure")
		}
	}
	t.Fatal("the broker takes what is larger than its limit")
}

func TestTopicIsGoneAfterTeardown(t *testing.T) {
	f := open(t, brokertest.URL(t, "KAFKA"), "")
	l := connect(t, f, 0)
	if got := fmt.Sprint(topics(t, f)); got != "["+l.topic+"]" {
		t.Errorf("topics %v", got)
	}
	l.end(t)
	if left := topics(t, f); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// A set-up that its context ends on the way leaves no topic.
func TestTopicIsGoneAfterInterruptedSetup(t *testing.T) {
	f := open(t, brokertest.URL(t, "KAFKA"), "partitions=8")
	for i := range 8 {
		l := newLink(t, f, i)
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(1+4*i)*time.Millisecond)
		_ = l.Setup(ctx) // somewhere between nothing and done
		cancel()
		l.end(t)
	}
	if left := topics(t, f); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestTeardownLeavesNoGoroutines(t *testing.T) {
	f := open(t, brokertest.URL(t, "KAFKA"), "")
	before := runtime.NumGoroutine()
	for i := range 5 {
		l := connect(t, f, i)
		l.roundTrip(t, brokertest.Payload(uint32(i), 1, 100))
		l.end(t)
	}
	for end := time.Now().Add(patience); runtime.NumGoroutine() > before; runtime.Gosched() {
		if time.Now().After(end) {
			stacks := make([]byte, 1<<20)
			t.Fatalf("%d goroutines, before %d:\n%s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
		}
	}
}

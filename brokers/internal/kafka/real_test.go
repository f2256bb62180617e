package kafka

import (
	"context"
	"net/url"
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

func TestSetupExplains(t *testing.T) {
	replicas := brokertest.With(brokertest.URL(t, "KAFKA"), "replication-factor=1000")
	targets := map[string][]string{"replicas": {replicas, "lower the option replication-factor=1000"}}
	for _, mechanism := range mechanisms {
		targets[mechanism] = []string{secured(t, mechanism, "geheim"), "correct user and password"}
	}
	brokertest.SetupExplains(t, Open, targets)
}

func TestWrongScheme(t *testing.T) {
	plain := open(t, strings.Replace(brokertest.URL(t, "KAFKA"), "kafka:", "kafka+tls:", 1), "")
	_, err := plain.Describe(t.Context())
	brokertest.WantFault(t, err, "check the scheme")
	u, _ := url.Parse(secured(t, "plain", ""))
	tls := open(t, "kafka://"+u.Host, "")
	_, err = tls.Describe(t.Context())
	brokertest.WantFault(t, err, "use the scheme kafka+tls")
}

func TestUnknownAuthority(t *testing.T) {
	u, _ := url.Parse(secured(t, "plain", ""))
	f := open(t, "kafka+tls://"+u.Host, "")
	_, err := f.Describe(t.Context())
	brokertest.WantFault(t, err, "tls-ca")
	f = open(t, "kafka+tls://"+u.User.String()+"@"+u.Host, "tls-insecure=true&sasl=plain")
	if _, err := f.Describe(t.Context()); err != nil {
		t.Errorf("with tls-insecure: %v", err)
	}
}

// The broker's limit may be lower than ours, as when somebody changes the topic.
func TestMessageLargerThanTheBrokerTakes(t *testing.T) {
	f := open(t, brokertest.URL(t, "KAFKA"), "")
	l := requestertest.Connect(t, f, 0)
	limit := "2000"
	err := f.admin(t.Context(), func(_ context.Context, admin *kadm.Client) error {
		_, err := admin.AlterTopicConfigs(t.Context(), []kadm.AlterConfig{{Name: "max.message.bytes", Value: &limit}}, f.topic(0))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for seq := range uint64(1000) { // the change takes a moment to reach the partition
		l.Send(t, requestertest.Payload(0, seq, 10_000))
		select {
		case failed := <-l.Failures:
			brokertest.WantFault(t, failed.Cause, "message.max.bytes")
			l.RoundTrip(t, requestertest.Payload(0, seq, 1000))
			return
		case <-l.Replies:
		case <-time.After(brokertest.Patience):
			t.Fatal("neither a reply nor a failure")
		}
	}
	t.Fatal("the broker takes what is larger than its limit")
}

// A set-up that its context ends on the way leaves no topic.
func TestTopicIsGoneAfterInterruptedSetup(t *testing.T) {
	f := open(t, brokertest.URL(t, "KAFKA"), "partitions=8")
	for i := range 8 {
		l := requestertest.NewLink(t, f, i)
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(1+4*i)*time.Millisecond)
		_ = l.Setup(ctx) // somewhere between nothing and done
		cancel()
		l.End(t)
	}
	if left := topics(t, f); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestTeardownLeavesNothing(t *testing.T) {
	f := open(t, brokertest.URL(t, "KAFKA"), "")
	requestertest.TeardownLeavesNothing(t, f, func(*requestertest.Link) bool { return len(topics(t, f)) == 0 })
}

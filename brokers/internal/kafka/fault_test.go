package kafka

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/brokers/internal/kafka/cluster"
	"github.com/brokerbench/brokerbench/requester/requestertest"
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
		{fmt.Errorf("%w: %w", errNoCoordinator, kerr.TransactionalIDAuthorizationFailed), "transactional IDs named brokerbench.*"},
		{fmt.Errorf("%w: %w", errNoCoordinator, kerr.InvalidTransactionTimeout), "transaction.max.timeout.ms to 300000"},
		{fmt.Errorf("%w: %w", errNoCoordinator, context.DeadlineExceeded), "transaction.state.log.replication.factor"},
		{kerr.GroupAuthorizationFailed, "groups named brokerbench.*"},
		{cluster.ErrNoShareGroups, "consumer=direct"},
		{io.EOF, "closed the connection"},
	}
	for _, tt := range tests {
		brokertest.WantFault(t, f.explain("testing", tt.err), "kafka://u:xxxxx@h", tt.want)
	}
}

func TestBrokerDown(t *testing.T) {
	f := open(t, "kafka://"+brokertest.Refusing(t)+","+brokertest.Refusing(t), "")
	brokertest.DescribeExplains(t, f)
	l := requestertest.NewLink(t, f, 0)
	brokertest.WantFault(t, l.Begin(), f.Target.String(), "nothing listens there")
	if err := l.Request(t.Context(), requestertest.Payload(0, 0, 16)); !errors.Is(err, errNotSetUp) {
		t.Errorf("Request after a failed Setup: %v", err)
	}
}

func TestSetupHonoursContext(t *testing.T) {
	brokertest.SetupHonoursContext(t, Open, "kafka://%s")
}

func TestNoKafka(t *testing.T) {
	_, err := open(t, "kafka://"+brokertest.Greet(t, "INFO {}\r\n"), "").Describe(t.Context())
	brokertest.WantFault(t, err, "no Kafka broker")
}

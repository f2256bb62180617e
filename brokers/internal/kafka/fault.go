package kafka

import (
	"errors"
	"fmt"
	"strings"

	"github.com/brokerbench/brokerbench/brokers/internal/kafka/cluster"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

// explain returns a [target.Fault] of the target, or nil for a nil err.
func (f *Factory) explain(doing string, err error) error { return f.Explain(doing, err) }

const (
	policyRemedy   = "the cluster's policy forbids this topic: change the options replication-factor, partitions, max-message-bytes, min-insync-replicas or flush-messages"
	topicRemedy    = "the user must be allowed to create, write, read and delete topics named brokerbench.*"
	replicasRemedy = "acks=all needs min.insync.replicas copies: raise the option replication-factor, lower min-insync-replicas, or start the brokers that are away"
)

// remedies are for errors that do not depend on the options. An error of a coordinator wraps
// errNoCoordinator, so that is the last.
var remedies = target.Remedies{
	{Err: kerr.IllegalSaslState, Remedy: "the broker asks for no password on this port: leave out user and sasl, or correct the port"},
	{Err: kerr.SaslAuthenticationFailed, Remedy: "correct user and password, or the option sasl: the broker stores a password for each mechanism"},
	{Err: kerr.PolicyViolation, Remedy: policyRemedy},
	{Err: kerr.InvalidConfig, Remedy: policyRemedy},
	{Err: kerr.TopicAuthorizationFailed, Remedy: topicRemedy},
	{Err: kerr.ClusterAuthorizationFailed, Remedy: topicRemedy},
	{Err: kerr.TransactionalIDAuthorizationFailed, Remedy: "the user must be allowed to describe and write transactional IDs named brokerbench.*"},
	{Err: kerr.GroupAuthorizationFailed, Remedy: "the user must be allowed to read, describe, configure and delete groups named brokerbench.*"},
	{Err: cluster.ErrNoConsumerProtocol, Remedy: "it needs Kafka 4.0: else leave out group-protocol=consumer"},
	{Err: errKeepsLess, Remedy: "the broker ignores a setting of the topic: ask for less durability, or measure in spite of it with durability-check=false"},
	{Err: kerr.TopicAlreadyExists, Remedy: "another run has this name: choose another"},
	{Err: kerr.NotEnoughReplicas, Remedy: replicasRemedy},
	{Err: kerr.NotEnoughReplicasAfterAppend, Remedy: replicasRemedy},
	{Err: kerr.UnknownTopicOrPartition, Remedy: "the topic is gone, with all its messages: somebody deleted it, or the broker has lost its data"},
	{Err: errNoCoordinator, Remedy: "no broker coordinates transactions: lower its transaction.state.log.replication.factor and .min.isr to the number of brokers, or start those that are away"},
}

func (f *Factory) remedy(err error) string {
	o := &f.options
	var closed *kgo.ErrFirstReadEOF
	switch text := err.Error(); {
	case errors.As(err, &closed):
		return "check the scheme, kafka or kafka+tls, and whether the broker wants user and password (option sasl)"
	case strings.Contains(text, "tls alert"):
		return "the broker speaks TLS: use the scheme " + schemeTLS
	case strings.Contains(text, "invalid large response size"):
		return "this is no Kafka broker: correct host and port"
	case errors.Is(err, kerr.UnsupportedSaslMechanism):
		return "the broker does not offer this: change the option sasl=" + o.sasl
	case errors.Is(err, kerr.MessageTooLarge), errors.Is(err, kerr.RecordListTooLarge):
		return fmt.Sprintf("raise the option max-message-bytes=%d, and the broker's message.max.bytes if it is lower", o.maxMessage)
	case errors.Is(err, kerr.InvalidReplicationFactor):
		return fmt.Sprintf("lower the option replication-factor=%d to the number of brokers, or raise it to what the cluster demands", o.replication)
	case errors.Is(err, kerr.InvalidTransactionTimeout):
		return fmt.Sprintf("raise the brokers' transaction.max.timeout.ms to %d", (o.transactions.open + transactionGrace).Milliseconds())
	case errors.Is(err, cluster.ErrNoShareGroups), o.shares() && errors.Is(err, kerr.UnsupportedVersion):
		return "they need Kafka 4.2, or 4.1 with the feature share.version=1: else use consumer=direct"
	}
	return remedies.For(err)
}

// batchOverhead is how much longer than its payload a batch of one message can be:
// 61 B for the batch, the lengths in the record, and the reserve that franz-go
// adds.
const batchOverhead = 100

// checkFits returns an error if a payload of size bytes fits in no batch.
func (f *Factory) checkFits(size int) error {
	if size+batchOverhead+f.dress.Beside <= f.options.maxMessage {
		return nil
	}
	err := fmt.Errorf("%d B, with up to %d B of overhead, are more than the %d B of a batch: %w",
		size, batchOverhead+f.dress.Beside, f.options.maxMessage, kerr.MessageTooLarge)
	return f.explain("sending a message", err)
}

package kafka

import (
	"errors"
	"fmt"
	"strings"

	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

// explain returns a [target.Fault] of the target, or nil for a nil err.
func (f *Factory) explain(doing string, err error) error {
	return target.Explain(f.target, doing, err, f.remedy)
}

func (f *Factory) remedy(err error) string {
	if remedy := f.remedyOfAccess(err); remedy != "" {
		return remedy
	}
	var coordinator noCoordinator
	var topic *topicError
	switch {
	case errors.Is(err, kerr.MessageTooLarge), errors.Is(err, kerr.RecordListTooLarge):
		return fmt.Sprintf("raise the option max-message-bytes=%d, and the broker's message.max.bytes if it is lower", f.options.maxMessage)
	case errors.Is(err, kerr.InvalidReplicationFactor):
		return fmt.Sprintf("lower the option replication-factor=%d to the number of brokers, or raise it to what the cluster demands", f.options.replication)
	case errors.Is(err, kerr.PolicyViolation), errors.Is(err, kerr.InvalidConfig):
		return "the cluster's policy forbids this topic: change the options replication-factor, partitions, max-message-bytes, min-insync-replicas or flush-messages"
	case errors.Is(err, kerr.TopicAuthorizationFailed), errors.Is(err, kerr.ClusterAuthorizationFailed):
		return "the user must be allowed to create, write, read and delete topics named brokerbench.*"
	case errors.Is(err, kerr.TransactionalIDAuthorizationFailed):
		return "the user must be allowed to describe and write transactional IDs named brokerbench.*"
	case errors.Is(err, kerr.InvalidTransactionTimeout):
		return fmt.Sprintf("raise the brokers' transaction.max.timeout.ms to %d", (f.options.transactions.open + transactionGrace).Milliseconds())
	case errors.Is(err, kerr.GroupAuthorizationFailed):
		return "the user must be allowed to read, describe, configure and delete groups named brokerbench.*"
	case errors.As(err, &topic):
		return "the broker does not do what the topic was made with: ask for less durability, or measure all the same with durability-check=false"
	case errors.As(err, &coordinator):
		return "no broker coordinates transactions: lower its transaction.state.log.replication.factor and .min.isr to the number of brokers, or start those that are away"
	case errors.Is(err, errNoShareGroups), f.options.shares() && errors.Is(err, kerr.UnsupportedVersion):
		return "they need Kafka 4.2, or 4.1 with the feature share.version=1: else use consumer=direct"
	case errors.Is(err, kerr.TopicAlreadyExists):
		return "another run has this name: choose another"
	case errors.Is(err, kerr.NotEnoughReplicas), errors.Is(err, kerr.NotEnoughReplicasAfterAppend):
		return "acks=all needs min.insync.replicas copies: raise the option replication-factor, lower min-insync-replicas, or start the brokers that are away"
	case errors.Is(err, kerr.UnknownTopicOrPartition):
		return "the topic is gone, with all that was in it: somebody deleted it, or the broker has lost its data"
	}
	return ""
}

// remedyOfAccess is for who does not get in.
func (f *Factory) remedyOfAccess(err error) string {
	var closed *kgo.ErrFirstReadEOF
	switch {
	case errors.As(err, &closed):
		return "check the scheme, kafka or kafka+tls, and whether the broker wants user and password (option sasl)"
	case strings.Contains(err.Error(), "tls alert"):
		return "the broker speaks TLS: use the scheme " + schemeTLS
	case strings.Contains(err.Error(), "invalid large response size"):
		return "this is no Kafka broker: correct host and port"
	case errors.Is(err, kerr.IllegalSaslState):
		return "the broker asks for no password on this port: leave out user and sasl, or correct the port"
	case errors.Is(err, kerr.SaslAuthenticationFailed):
		return "correct user and password, or the option sasl: the broker stores a password for each mechanism"
	case errors.Is(err, kerr.UnsupportedSaslMechanism):
		return "the broker does not offer this: change the option sasl=" + f.options.sasl
	}
	return ""
}

// batchOverhead is how much longer than its payload a batch of one message can be:
// 61 B for the batch, the lengths in the record, and the reserve that franz-go
// adds.
const batchOverhead = 100

// checkFits returns an error if a payload of size bytes fits in no batch.
func (f *Factory) checkFits(size int) error {
	if size+batchOverhead <= f.options.maxMessage {
		return nil
	}
	err := fmt.Errorf("%d B, with up to %d B of overhead, are more than the %d B of a batch: %w",
		size, batchOverhead, f.options.maxMessage, kerr.MessageTooLarge)
	return f.explain("sending a message", err)
}

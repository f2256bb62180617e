package requester

import (
	"errors"
	"fmt"
)

// Keys say which key each message has, such as the one by which Kafka chooses its partition.
type Keys struct {
	Names []string // of all keys
	// Of returns the position in Names of the key of message seq of a connection; -1: it has none. It may be
	// called concurrently, and allocates nothing.
	Of func(conn uint32, seq uint64) int
}

// None reports whether no message has a key.
func (k Keys) None() bool { return k.Of == nil }

// Name returns the key of a payload; false if it has none, as the engine's probes have none.
func (k Keys) Name(payload []byte) (string, bool) {
	if k.None() {
		return "", false
	}
	stamp, ok := ReadStamp(payload)
	if !ok || stamp.Seq == ProbeSeq {
		return "", false
	}
	i := k.Of(stamp.Conn, stamp.Seq)
	if i < 0 {
		return "", false
	}
	return k.Names[i], true
}

// Topic returns the topic of the key of a payload, of so many topics. Without a key it is the producer's own.
func (k Keys) Topic(payload []byte, topics, own int) int {
	name, ok := k.Name(payload)
	if !ok {
		return own
	}
	return TopicOf(name, topics)
}

// TopicOf returns the topic of a key, of so many topics. The hash is FNV-1a, 32 bits.
func TopicOf[Key ~string | ~[]byte](name Key, topics int) int {
	hash := uint32(2166136261)
	for i := range len(name) {
		hash = (hash ^ uint32(name[i])) * 16777619
	}
	return int(hash % uint32(topics))
}

// ChooseTopic returns why keys cannot choose the topic of a message in a topology such that they keep their
// order: each topic must have one member of each group.
func ChooseTopic(t Topology) error {
	switch {
	case t.Own():
		return errors.New("a key chooses the topic, and each connection has only one: add --topics")
	case t.Members > t.Topics:
		return fmt.Errorf("a key keeps its order at one member of a group, so that a topic has one: %d members need as many topics, and there are %d", t.Members, t.Topics)
	}
	return nil
}

// Share returns the topics of a member if each topic has one member of each group.
func (t Topology) Share(member int) (topics []int) {
	for topic := member; topic < t.Topics; topic += t.Members {
		topics = append(topics, topic)
	}
	return topics
}

// Settled returns a consumer that is no [Mortal]: the topics that it has go to no other member.
func Settled(c Consumer) Consumer { return struct{ Consumer }{c} }

// A KeyTaker is a [Factory] of a system whose messages can have keys. It is optional. Messages of one key that
// one connection sends keep their order.
type KeyTaker interface {
	Factory
	// TakeKeys sets the keys of all messages but probes. It is called before New and Describe, and after
	// TakeTopology; a second call has the same keys. An error says which of the settings in force do not
	// allow them.
	TakeKeys(k Keys) error
}

// Key gives the factory keys.
func Key(f Factory, k Keys) error {
	t, ok := As[KeyTaker](f)
	if !ok {
		return errors.New("brokerbench gives messages of this system no keys yet")
	}
	return t.TakeKeys(k)
}

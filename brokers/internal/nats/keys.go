package nats

import (
	"strings"

	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// noKey is the last token of the subject of a message without a key.
const noKey = "-"

// TakeKeys implements [requester.KeyTaker]. A key chooses the topic, and is the last token of the subject.
func (f *Factory) TakeKeys(k requester.Keys) error {
	if err := requester.ChooseTopic(f.topology); err != nil {
		return err
	}
	f.keys = requester.Keys{Of: k.Of, Names: make([]string, len(k.Names))}
	for i, key := range k.Names {
		f.keys.Names[i] = target.Name(f.Run, requester.TopicOf(key, f.topology.Topics)) + "." + key
	}
	return nil
}

// to returns the subject to which a payload goes.
func (c *conn) to(payload []byte) string {
	if subject, ok := c.factory.keys.Name(payload); ok {
		return subject
	}
	return c.sendsTo
}

// topics returns the subjects of the topics from which a member receives.
func (c *conn) topics() (subjects []string) {
	f := c.factory
	if f.keys.None() {
		for topic := range f.topology.Topics {
			subjects = append(subjects, target.Name(f.Run, topic))
		}
		return subjects
	}
	for _, topic := range f.topology.Share(c.member) {
		subjects = append(subjects, f.keyed(topic))
	}
	return subjects
}

// keyed returns the subjects of a topic, one for each key.
func (f *Factory) keyed(topic int) string { return target.Name(f.Run, topic) + ".*" }

// consumers consume together.
type consumers []jetstream.ConsumeContext

// Stop implements [jetstream.ConsumeContext].
func (all consumers) Stop() {
	for _, one := range all {
		one.Stop()
	}
}

// Drain implements [jetstream.ConsumeContext].
func (all consumers) Drain() {
	for _, one := range all {
		one.Drain()
	}
}

// Closed implements [jetstream.ConsumeContext].
func (all consumers) Closed() <-chan struct{} {
	closed := make(chan struct{})
	go func() {
		for _, one := range all {
			<-one.Closed()
		}
		close(closed)
	}()
	return closed
}

// deliver passes on a message; taken is false if it was dropped.
func (c *conn) deliver(subject string, h nats.Header, data []byte) (taken bool) {
	if c.factory.keys.None() {
		return c.DeliverWith(stampOf(h), data)
	}
	topic := target.Number(subject[:max(strings.LastIndexByte(subject, '.'), 0)])
	return c.DeliverFrom(topic, stampOf(h), data)
}

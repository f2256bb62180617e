package main

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/apache/pulsar-client-go/pulsar"
)

// The subscriptions of a topic. Nothing consumes the second: the broker keeps each message for it.
const (
	consuming = "brokerbench"
	auditing  = "brokerbench-audit"
)

// A link is one connection.
type link struct {
	conn     uint32
	out      *output
	producer pulsar.Producer
	consumer pulsar.Consumer
	client   pulsar.Client
	topic    string
	audited  bool
	stop     context.CancelFunc // ends receive, because the client does not when the consumer is closed
	received chan struct{}      // closed when the last message was received
}

// open connects a connection.
func (a *adapter) open(conn uint32) error {
	l := &link{conn: conn, out: a.out, client: a.client, topic: a.options.topic(a.run, conn), received: make(chan struct{})}
	err := a.options.unlessRefused(func() error { return l.connect(a.options) })
	switch {
	case errors.Is(err, errRefused):
		return err
	case err != nil:
		return errors.Join(err, l.close())
	}
	ctx, stop := context.WithCancel(context.Background())
	l.stop = stop
	go l.receive(ctx)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.links[conn] = l
	return nil
}

func (l *link) connect(o options) (err error) {
	subscription := pulsar.ConsumerOptions{Topic: l.topic, SubscriptionName: consuming, Type: subscriptionTypes[o.subscription]}
	if l.consumer, err = l.client.Subscribe(subscription); err != nil {
		return err
	}
	if !o.nonPersistent {
		if err = l.subscribeAudit(pulsar.Consumer.Close); err != nil {
			return err
		}
		l.audited = true
	}
	producer := pulsar.ProducerOptions{
		Topic: l.topic, MaxPendingMessages: pending, DisableBlockIfQueueFull: true,
		DisableBatching: o.batchingDelay == 0, BatchingMaxPublishDelay: o.batchingDelay,
	}
	l.producer, err = l.client.CreateProducer(producer)
	return err
}

// subscribeAudit opens the subscription that nothing consumes, and passes it to then.
func (l *link) subscribeAudit(then func(pulsar.Consumer)) error {
	c, err := l.client.Subscribe(pulsar.ConsumerOptions{
		Topic: l.topic, SubscriptionName: auditing, SubscriptionInitialPosition: pulsar.SubscriptionPositionEarliest, ReceiverQueueSize: 1,
	})
	if err == nil {
		then(c)
	}
	return err
}

// send sends a message, and reports its receipt. It does not wait.
func (l *link) send(body []byte) {
	head := body[:min(stampSize, len(body))]
	l.producer.SendAsync(context.Background(), &pulsar.ProducerMessage{Payload: body}, func(_ pulsar.MessageID, _ *pulsar.ProducerMessage, err error) {
		switch {
		case len(head) < stampSize: // a probe
		case err != nil:
			l.out.write(failed, l.conn, head, []byte(err.Error()))
		default:
			l.out.write(acked, l.conn, head)
		}
	})
}

// receive passes on messages until ctx is done.
func (l *link) receive(ctx context.Context) {
	defer close(l.received)
	for {
		m, err := l.consumer.Receive(ctx)
		if err != nil {
			return
		}
		l.out.write(reply, l.conn, m.Payload())
		_ = l.consumer.Ack(m) // if it fails, the message comes again, and is counted
	}
}

// close disconnects a connection. Its topic is removed by the broker, which finds no subscription.
func (a *adapter) close(conn uint32) error {
	a.mu.Lock()
	l := a.links[conn]
	delete(a.links, conn)
	a.mu.Unlock()
	if l == nil {
		return nil
	}
	l.stop()
	<-l.received
	return l.close()
}

func (l *link) close() (err error) {
	if l.producer != nil {
		l.producer.Close()
	}
	if l.consumer != nil {
		err = l.consumer.Unsubscribe()
		l.consumer.Close()
	}
	if l.audited {
		unsubscribe := func(c pulsar.Consumer) {
			err = errors.Join(err, c.Unsubscribe())
			c.Close()
		}
		err = errors.Join(err, l.subscribeAudit(unsubscribe))
	}
	return err
}

// audit reports the messages in all topics.
func (a *adapter) audit(to uint32) error {
	a.mu.Lock()
	links := slices.Collect(maps.Values(a.links))
	a.mu.Unlock()
	for _, l := range links {
		if err := l.audit(to); err != nil {
			return err
		}
	}
	return nil
}

// audit reads a topic from its first message to the last one.
func (l *link) audit(to uint32) error {
	reader, err := l.client.CreateReader(pulsar.ReaderOptions{Topic: l.topic, StartMessageID: pulsar.EarliestMessageID(), ReceiverQueueSize: 1000})
	if err != nil {
		return err
	}
	defer reader.Close()
	for reader.HasNext() {
		m, err := reader.Next(context.Background())
		if err != nil {
			return err
		}
		l.out.write(kept, to, m.Payload())
	}
	return nil
}

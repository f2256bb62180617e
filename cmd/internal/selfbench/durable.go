//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// A mode is a way in which a broker keeps and acknowledges messages.
type mode struct {
	broker  string
	what    string // for people
	options string // of brokerbench's target
	rate    int    // what the mode carries with the broker on the same two cores, and reserve
	byHand  dial   // the same, by hand
}

// The rates of modes: at 2,000/s RabbitMQ's persistent queues take all of two cores, so
// that its ratios would be those of two backlogs.
const (
	modeRate  = 2000
	queueRate = 500
)

const (
	queue      = "durable=true&persistent=true&confirm=true"
	quorum     = queue + "&queue-type=quorum&prefetch=100"
	auditQueue = queue + "&exchange=fanout&audit-queue=true"
	idempotent = "acks=all&idempotent=true"
)

// durable are the parts that measure brokers that keep messages.
func durable() (all []part) {
	for _, m := range modes() {
		all = append(all, m.part())
	}
	return append(all,
		audit("NATS JetStream (file)", "nats", "stream=file", 200_000),
		audit("Redis Streams", "redis", "stream=read", 0),
		audit("RabbitMQ (classic, persistent)", "rabbitmq", auditQueue, 0),
		audit("Kafka", "kafka", "acks=1", 200_000),
	)
}

func modes() []mode {
	return []mode{
		{"nats", "NATS JetStream (file, ordered)", "stream=file", modeRate, jetStreamByHand(false)},
		{"nats", "NATS JetStream (file, pull)", "stream=file&consumer=pull", modeRate, jetStreamByHand(true)},
		{"redis", "Redis Streams (XREAD)", "stream=read", modeRate, streamByHand(false)},
		{"redis", "Redis Streams (XREADGROUP)", "stream=group", modeRate, streamByHand(true)},
		{"rabbitmq", "RabbitMQ (classic, persistent, confirms)", queue, queueRate, confirmsByHand("classic", 0)},
		{"rabbitmq", "RabbitMQ (quorum, confirms, prefetch 100)", quorum, queueRate, confirmsByHand("quorum", 100)},
		{"kafka", "Kafka (acks=1)", "acks=1", modeRate, kafkaByHand},
		{"kafka", "Kafka (acks=all, idempotent)", idempotent, modeRate, idempotentByHand},
	}
}

// part compares a mode with the loop by hand: when messages are acknowledged, and when they
// come back. All of them have to be, and what was acknowledged has to be in the store.
func (m mode) part() part {
	what := fmt.Sprintf("%s, 1 KiB at %d/s on one connection", m.what, m.rate)
	over := what + ", over the loop by hand: "
	return part{
		what: what, broker: m.broker, halved: true,
		run: func(ctx context.Context, b bench, url string) ([]float64, error) {
			c, err := durably(ctx, withOptions(url, m.options), cellAt(b, url, m.rate, 1))
			if err != nil {
				return nil, err
			}
			return pick(c, at{c.Ack, 50}, at{c.Ack, 99}, at{&c.Response, 50}, at{&c.Response, 99})
		},
		other: func(ctx context.Context, b bench, url string) ([]float64, error) {
			took, err := newLoop(m.rate, 1, b.warmup, b.window, spin(m.rate)).acknowledged().run(ctx, m.byHand, url)
			if err != nil {
				return nil, err
			}
			return append(quantiles(took.acks, 50, 99), quantiles(took.responses, 50, 99)...), nil
		},
		figures: []figure{
			{what: over + "ack p50", write: duration, atMost: 1.05},
			{what: over + "ack p99", write: duration, atMost: 1.10},
			{what: over + "delivery p50", write: duration, atMost: 1.05},
			{what: over + "delivery p99", write: duration, atMost: 1.10},
		},
	}
}

// durably measures a cell of a target that acknowledges, and reads its store, if it has one.
func durably(ctx context.Context, url string, cell plan.Cell) (*results.Cell, error) {
	f, err := open(url)
	if err != nil {
		return nil, err
	}
	cell.Settings.Audit = true
	c, err := measure.Cell(ctx, f, cell, measure.Options{})
	switch {
	case err != nil:
		return nil, err
	case c.Promises == nil || c.Promises.Acked != c.Ledger.Due:
		return nil, fmt.Errorf("%d messages, of which not all were acknowledged: %+v", c.Ledger.Due, c.Promises)
	case c.Audit != nil && c.Audit.Error != "":
		return nil, errors.New("the audit: " + c.Audit.Error)
	case c.Audit != nil && c.Audit.Missing > 0:
		return nil, fmt.Errorf("the audit: %d messages are missing", c.Audit.Missing)
	}
	return c, nil
}

// withOptions returns the URL of a target with those options alone.
func withOptions(url, options string) string { return withoutOptions(url) + "?" + options }

//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/plan"
)

// A mode is a way in which a broker keeps and acknowledges messages.
type mode struct {
	broker  string
	what    string // for people
	options string // of brokerbench's target
	rate    int    // that the mode carries with the broker on the same two cores, with reserve
	byHand  dial   // the same by hand
}

// The rates of modes: at 2,000/s RabbitMQ's persistent queues take all of two cores, and
// the ratio would compare two backlogs.
const (
	modeRate  = 2000
	queueRate = 500
)

const (
	queue      = "durable=true&persistent=true&confirm=true"
	quorum     = queue + "&queue-type=quorum&prefetch=100"
	auditQueue = queue + "&durability=process"
	idempotent = "acks=all&idempotent=true"
)

func modes() []mode {
	return []mode{
		{"nats", "NATS JetStream (file, ordered)", "stream=file", modeRate, jetStreamByHand(false)},
		{"nats", "NATS JetStream (file, pull)", "stream=file&consumer=pull", modeRate, jetStreamByHand(true)},
		{"redis", "Redis Streams (XREAD)", "stream=read", modeRate, streamByHand(false)},
		{"redis", "Redis Streams (XREADGROUP)", "stream=group", modeRate, streamByHand(true)},
		{"rabbitmq", "RabbitMQ (classic, persistent, confirms)", queue, queueRate, rabbitmqByHand("classic", 0)},
		{"rabbitmq", "RabbitMQ (quorum, confirms, prefetch 100)", quorum, queueRate, rabbitmqByHand("quorum", 100)},
		{"kafka", "Kafka (acks=1)", "acks=1", modeRate, kafkaByHand},
		{"kafka", "Kafka (acks=all, idempotent)", idempotent, modeRate, idempotentByHand},
	}
}

// part compares a mode with the loop by hand: when messages are acknowledged, and when they
// are delivered.
func (m mode) part() part {
	return part{
		what:   fmt.Sprintf("%s, 1 KiB at %d/s on one connection, over the loop by hand", m.what, m.rate),
		broker: m.broker, halved: true,
		run: func(ctx context.Context, b bench, url string) ([]float64, error) {
			c, err := durably(ctx, cellAt(b, withOptions(url, m.options), m.rate, 1))
			if err != nil {
				return nil, err
			}
			return pick(c, at{c.Ack, 50}, at{c.Ack, 99}, at{&c.Response, 50}, at{&c.Response, 99})
		},
		other: looped(func(b bench) *loop { return newLoop(b, m.rate, 1).acknowledged() }, m.byHand, func(took times) []float64 {
			return append(quantiles(took.acks, 50, 99), quantiles(took.responses, 50, 99)...)
		}),
		figures: []figure{
			{what: "ack p50", write: duration, atMost: 1.05},
			{what: "ack p99", write: duration, atMost: 1.10},
			{what: "delivery p50", write: duration, atMost: 1.05},
			{what: "delivery p99", write: duration, atMost: 1.10},
		},
	}
}

// withOptions returns the URL of a target with only those options.
func withOptions(url, options string) string { return withoutOptions(url) + "?" + options }

// How a store is filled before it is read. No broker reaches the rate, so fillPending
// messages are always in flight.
const (
	stored      = 300_000
	fillRate    = 1_000_000
	fillPending = 2000
)

// audit measures how fast the audit reads and checks a store of 300,000 messages.
func audit(name, broker, options string, atLeast float64) part {
	return part{
		what: name + ", audit of 300,000 messages of 1 KiB", broker: broker, once: atLeast == 0,
		run: func(ctx context.Context, b bench, url string) ([]float64, error) {
			n := stored
			if b.short {
				n /= 100
			}
			c, err := durably(ctx, plan.Cell{
				Target:   plan.Target{Name: "selfbench", URL: withOptions(url, options)},
				Shape:    plan.Shape{Rate: fillRate, Size: size, Connections: 1, InFlight: fillPending},
				Settings: plan.Settings{Duration: time.Duration(n) * time.Second / fillRate, Timeout: 5 * time.Minute},
			})
			if err != nil {
				return nil, err
			}
			if c.Audit == nil {
				return nil, errors.New("nothing was read")
			}
			return []float64{float64(c.Audit.Read) / time.Duration(c.Audit.TookNS).Seconds()}, nil
		},
		figures: []figure{{write: perSecond, atLeast: atLeast}},
	}
}

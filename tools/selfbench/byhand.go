//go:build linux

package main

import (
	"context"
	"fmt"
	"strings"
)

// looped returns a run of a loop by hand; values picks its figures.
func looped(l func(b bench) *loop, byHand dial, values func(times) []float64) round {
	return func(ctx context.Context, b bench, url string) ([]float64, error) {
		loop := l(b)
		before := cpuSoFar()
		took, err := loop.run(ctx, byHand, url)
		if err != nil {
			return nil, err
		}
		took.cpu = perOp(cpuSoFar()-before, b, loop.rate)
		return values(took), nil
	}
}

// against compares brokerbench, without its command line, with the loop by hand: the same
// client, broker, rate, size and spin, one connection. Both run in this process, so that
// only the structure differs. A maximum lag p99 of 0 is no bound.
func against(name string, byHand dial, maxLag float64) part {
	what := name + ", 1 KiB at 3,000/s on one connection"
	return part{
		what: what, broker: strings.ToLower(name), halved: true,
		run: func(ctx context.Context, b bench, url string) ([]float64, error) {
			c, err := measured(ctx, cellAt(b, url, rate, 1))
			if err != nil {
				return nil, err
			}
			return pick(c, at{&c.Response, 50}, at{&c.Lag, 50}, at{&c.Lag, 99})
		},
		other: looped(func(b bench) *loop { return newLoop(b, rate, 1) }, byHand, func(took times) []float64 { return quantiles(took.responses, 50) }),
		figures: []figure{
			{what: what + ": response p50 over the loop by hand", write: duration, atMost: 1.05},
			{what: what + ": lag p50", write: duration, atMost: 1e3},
			{what: what + ": lag p99", write: duration, atMost: maxLag},
		},
	}
}

// tails compares the tail of brokerbench with that of the loop by hand, with all the work
// that a normal run does each second.
func tails(name string, byHand dial, rate, connections int) part {
	what := fmt.Sprintf("%s, 1 KiB at %d/s over %d connections, with files, observer and terminal, over the loop by hand", name, rate, connections)
	return part{
		what: what, broker: strings.ToLower(name), halved: true,
		run: func(ctx context.Context, b bench, url string) ([]float64, error) {
			before := cpuSoFar()
			c, err := everything(ctx, cellAt(b, url, rate, connections), nil)
			if err != nil {
				return nil, err
			}
			used := cpuSoFar() - before
			r := &c.Response
			values, err := pick(c, at{r, 50}, at{r, 99}, at{r, 99.9}, at{r, 100})
			return append(values, perOp(used, b, rate)), err
		},
		other: looped(func(b bench) *loop { return newLoop(b, rate, connections) }, byHand, func(took times) []float64 {
			return append(quantiles(took.responses, 50, 99, 99.9, 100), took.cpu)
		}),
		figures: []figure{
			{what: what + ": response p50", write: duration, atMost: 1.05},
			{what: what + ": response p99", write: duration, atMost: 1.10},
			{what: what + ": response p99.9", write: duration, atMost: 1.10},
			{what: what + ": response max", write: duration, atMost: 1.25},
			{what: what + ": CPU of an op", write: duration},
		},
	}
}

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
	auditQueue = queue + "&exchange=fanout&audit-queue=true"
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
	what := fmt.Sprintf("%s, 1 KiB at %d/s on one connection", m.what, m.rate)
	over := what + ", over the loop by hand: "
	return part{
		what: what, broker: m.broker, halved: true,
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
			{what: over + "ack p50", write: duration, atMost: 1.05},
			{what: over + "ack p99", write: duration, atMost: 1.10},
			{what: over + "delivery p50", write: duration, atMost: 1.05},
			{what: over + "delivery p99", write: duration, atMost: 1.10},
		},
	}
}

// withOptions returns the URL of a target with only those options.
func withOptions(url, options string) string { return withoutOptions(url) + "?" + options }

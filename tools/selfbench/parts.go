//go:build linux

package main

import (
	"context"

	"github.com/brokerbench/brokerbench/requester/load"
)

// A part measures a few rows of the table.
type part struct {
	what    string
	broker  string // that it needs; "" for none
	halved  bool   // with bench.halved
	once    bool   // one round, which counts
	run     round
	other   round // alternates with run, and its values are compared; may be nil
	figures []figure
}

// A round measures once. It returns a value for each of the part's figures; part.other may
// return fewer.
type round func(ctx context.Context, b bench, url string) ([]float64, error)

func parts() []part {
	all := []part{
		flooded("engine and recording on a loopback, 256 B", floodLoopback, 500),
		flooded("engine and recording with acknowledgements, 256 B", floodAcks, 350),
		against("NATS", natsByHand, 200e3),
		against("Redis", redisByHand, 0), // clients and brokers take more of the cores, which adds to the lag
		against("RabbitMQ", rabbitmqByHand("", 0), 0),
		against("Kafka", kafkaByHand, 0),
		tails("NATS", natsByHand, rate, 1),
		tails("NATS", natsByHand, 20_000, 25),
		tails("Redis", redisByHand, rate, 1),
		tails("Redis", redisByHand, 20_000, 25),
		fold("NATS", rate, 1),
		fold("NATS", 20_000, 25),
		fold("Redis", rate, 1),
		fold("Redis", 20_000, 25),
		caused(rate, 1),
		caused(20_000, 25),
		samplers(),
		steady(),
		day(),
		coordinated(),
		merging(),
		{
			what: "NATS, 1 KiB at 3,000/s on one connection, over time.Sleep", broker: "nats",
			run: paced(load.KernelWaiter(spin(rate))), other: paced(load.SleepWaiter),
			figures: []figure{{what: "response p50", write: duration, atMost: 1}, {what: "response p99", write: duration, atMost: 1}},
		},
		{what: "NATS, 1 KiB at 20,000/s over 25 connections", broker: "nats", run: manyMessages, figures: []figure{
			{what: "reached", write: perSecond, atLeast: 19_900},
			{what: "response p50", write: duration, atMost: 300e3},
			{what: "response p99", write: duration, atMost: 5e6},
			{what: "resident", write: megabytes, atMost: 100e6},
			{what: "CPU for a million ops", write: seconds},
		}},
		{what: "canary on NATS, 1 KiB at 10/s", broker: "nats", run: watching, figures: []figure{
			{what: "cores", write: thousandths, atMost: 0.02},
			{what: "resident", write: megabytes, atMost: 100e6},
		}},
		{
			what: "loopback, 1 KiB at 20,000/s over 25 connections",
			run:  cpuOf(manyMessages), figures: []figure{{what: "CPU for a million ops", write: seconds}},
		},
		{what: "NATS, memory: 1,000 connections more (3,000 less 1,000, by 2)", broker: "nats", run: manyConnections(1000, 3000), figures: []figure{
			{write: megabytes},
		}},
		{what: "loopback, memory", run: manyConnections(1000, 10_000), figures: []figure{
			{what: "1,000 connections more (10,000 less 1,000, by 9)", write: megabytes},
			{what: "10,000 connections", write: megabytes, atMost: 200e6},
		}},
	}
	for _, m := range modes() {
		all = append(all, m.part())
	}
	return append(all, audits()...)
}

// audits returns the parts that read the stores of four brokers.
func audits() []part {
	return []part{
		audit("NATS JetStream (file)", "nats", "stream=file", 200_000),
		audit("Redis Streams", "redis", "stream=read", 0),
		audit("RabbitMQ (classic, persistent)", "rabbitmq", auditQueue, 0),
		audit("Kafka", "kafka", "acks=1", 200_000),
	}
}

// rows returns the rows of the part, or one with the reason why it could not be measured.
func (p part) rows(ctx context.Context, b bench) [][]string {
	needed := b.brokers[p.broker]
	if needed.missing != "" {
		return [][]string{notMeasured(p.what, needed.missing)}
	}
	if p.halved {
		b = b.halved()
	}
	if p.once {
		b.rounds = 0
	}
	ours, theirs, err := p.alternate(ctx, b, needed.url)
	if err != nil {
		return [][]string{notMeasured(p.what, err.Error())}
	}
	rows := make([][]string, len(p.figures))
	for i, f := range p.figures {
		rows[i] = f.row(p.what, column(ours, i), column(theirs, i))
	}
	return rows
}

// alternate runs run and other in turn and returns their values by round. The first of
// several rounds does not count: a broker may still be warming up.
func (p part) alternate(ctx context.Context, b bench, url string) (ours, theirs [][]float64, err error) {
	for range b.rounds + 1 {
		values, err := p.run(ctx, b, url)
		if err != nil {
			return nil, nil, err
		}
		ours = append(ours, values)
		if p.other == nil {
			continue
		}
		if values, err = p.other(ctx, b, url); err != nil {
			return nil, nil, err
		}
		theirs = append(theirs, values)
	}
	if b.rounds == 0 {
		return ours, theirs, nil
	}
	return ours[1:], theirs[min(1, len(theirs)):], nil
}

// column returns value i of every round, none if the rounds have no such value.
func column(rounds [][]float64, i int) (values []float64) {
	for _, r := range rounds {
		if i < len(r) {
			values = append(values, r[i])
		}
	}
	return values
}

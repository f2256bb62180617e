//go:build linux

package main

import (
	"context"
	"time"
)

// A part measures a few rows of the table.
type part struct {
	what    string
	broker  string // that it needs; "" for none
	measure func(ctx context.Context, b bench, url string) ([]row, error)
}

func parts() []part {
	return []part{
		{what: "engine and recording on a loopback, 256 B", measure: engine},
		{what: "NATS, 1 KiB at 3,000/s on one connection", broker: "nats", measure: against("NATS", natsByHand)},
		{what: "Redis, 1 KiB at 3,000/s on one connection", broker: "redis", measure: against("Redis", redisByHand)},
		{what: "RabbitMQ, 1 KiB at 3,000/s on one connection", broker: "rabbitmq", measure: against("RabbitMQ", rabbitmqByHand)},
		{what: "Kafka, 1 KiB at 3,000/s on one connection", broker: "kafka", measure: against("Kafka", kafkaByHand)},
		{what: "NATS, paced by time.Sleep", broker: "nats", measure: pacing},
		{what: "NATS, 1 KiB at 20,000/s over 25 connections", broker: "nats", measure: fast},
		{what: "loopback, 1 KiB at 20,000/s over 25 connections", measure: cheap},
		{what: "NATS, memory", broker: "nats", measure: memory},
		{what: "loopback, memory", measure: many},
	}
}

// rows returns what the part measured, or a row that says why it did not.
func (p part) rows(ctx context.Context, b bench) []row {
	needed := b.brokers[p.broker]
	if needed.missing != "" {
		return []row{notMeasured(p.what, needed.missing)}
	}
	rows, err := p.measure(ctx, b, needed.url)
	if err != nil {
		rows = append(rows, notMeasured(p.what, err.Error()))
	}
	return rows
}

// durations are what one run of a part tells.
type durations []time.Duration

// repeat runs a few variants in turn, A B A B and so on, after one round that does
// not count: a broker may still be warming up. It returns all that each variant
// told, by variant, by its index in durations.
func repeat(rounds int, variants ...func() (durations, error)) ([][]series, error) {
	told := make([][]series, len(variants))
	for round := range rounds + 1 {
		for v, variant := range variants {
			values, err := variant()
			if err != nil {
				return nil, err
			}
			if round == 0 {
				told[v] = make([]series, len(values))
				continue
			}
			for i, value := range values {
				told[v][i] = append(told[v][i], float64(value))
			}
		}
	}
	return told, nil
}

package powercut

import (
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/results"
)

// All returns every test.
func All() []Test {
	const (
		natsGo  = "github.com/nats-io/nats.go"
		goRedis = "github.com/redis/go-redis/v9"
		amqp091 = "github.com/rabbitmq/amqp091-go"
		franz   = "github.com/twmb/franz-go"
	)
	always := results.Setting{Name: "server-appendfsync", Value: "always"}
	return []Test{
		{Broker: "nats", Product: "NATS", Version: "2.15.2", Client: natsGo, Level: requester.Machine, Cuts: 10, Acked: 13343, Lost: 0},
		{Broker: "redis", Product: "Redis", Version: "8.0.2", Client: goRedis, Level: requester.Machine, Setting: always, Cuts: 10, Acked: 21093, Lost: 0},
		{Broker: "rabbitmq", Product: "RabbitMQ", Version: "4.0.5", Client: amqp091, Level: requester.Machine, Cuts: 10, Acked: 15121, Lost: 0},
		{Broker: "kafka", Product: "Kafka", Version: "4.3", Client: franz, Level: requester.Machine, Cuts: 10, Acked: 23410, Lost: 0},
		{Broker: "rabbitmq", Product: "RabbitMQ", Version: "3.10.8", Client: amqp091, Level: requester.Machine, Cuts: 3, Acked: 4721, Lost: 0},
		{Broker: "rabbitmq", Product: "RabbitMQ", Version: "4.0.5", Client: amqp091, Level: requester.Node, Cuts: 10, Acked: 23059, Lost: 0},
		{Broker: "nats", Product: "NATS", Version: "2.15.2", Client: natsGo, Level: requester.Node, Cuts: 3, Acked: 7156, Lost: 0},
		{Broker: "redis", Product: "Redis", Version: "8.0.2", Client: goRedis, Level: requester.Node, Cuts: 3, Acked: 4586, Lost: 0},
		{Broker: "kafka", Product: "Kafka", Version: "4.3", Client: franz, Level: requester.Node, Cuts: 3, Acked: 9000, Lost: 0},
	}
}

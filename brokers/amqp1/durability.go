package amqp1

import (
	"github.com/brokerbench/brokerbench/brokers/rabbitmq"
	"github.com/brokerbench/brokerbench/brokers/target"
)

// Levels returns how RabbitMQ keeps each level of durability through AMQP 1.0, which
// refuses what reaches no queue.
func Levels() []target.Level {
	return rabbitmq.LevelsWith("durable=true&confirm=true", "without durable a queue goes with its connection")
}

package amqp1

import (
	"strings"

	"github.com/brokerbench/brokerbench/brokers/rabbitmq"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
)

// Levels returns how RabbitMQ keeps each level of durability through AMQP 1.0: as through AMQP
// 0-9-1, but that nothing is mandatory. A message that reaches no queue is released, which is no
// acknowledgement.
func Levels() []target.Level {
	levels := rabbitmq.Levels()
	for i := range levels {
		l := &levels[i]
		l.Options = strings.ReplaceAll(l.Options, "&mandatory=true", "")
		if l.Durability == requester.Accepted {
			l.Note = "without durable a queue goes with its connection"
		}
	}
	return levels
}

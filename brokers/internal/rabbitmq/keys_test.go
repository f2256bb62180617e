package rabbitmq

import (
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/requester"
	amqp "github.com/rabbitmq/amqp091-go"
)

func TestAKeyHasOneQueue(t *testing.T) {
	for options, topology := range map[string]requester.Topology{
		"":                          {Topics: 4, Groups: 2, Members: 2},
		"confirm=true&prefetch=100": {Topics: 5, Groups: 3, Members: 3},
		"durability=process":        {Topics: 4, Groups: 1, Members: 1},
		"durable=true&confirm=true&queue-type=quorum&prefetch=10": {Topics: 3, Groups: 2, Members: 2},
	} {
		t.Run(options, func(t *testing.T) {
			f := running(t, options)
			brokertest.Keys(t, f, topology, topology.Topics)
			for number := range 15 {
				if name := f.Queue(number); hasQueue(t, name) || hasQueue(t, AuditQueue(name)) || hasExchange(t, name) {
					t.Errorf("queue or exchange %s is left", name)
				}
			}
		})
	}
}

func TestABacklogWithKeys(t *testing.T) {
	t.Parallel()
	brokertest.KeyedBacklog(t, running(t, "durable=true&confirm=true&prefetch=100"), requester.Topology{Topics: 4, Groups: 2, Members: 2})
}

func TestKeysThatChooseNoQueue(t *testing.T) {
	brokertest.WantNoKeys(t, factory(t, "amqp://h", ""), requester.Topology{}, "add --topics")
	brokertest.WantNoKeys(t, factory(t, "amqp://h", "exchange=direct"), requester.Topology{Topics: 1, Groups: 1, Members: 1},
		"the routing key is the key of the message: leave out the option exchange=direct")
}

// This is what a broker without the plugin answers.
func TestTheRemedyForAnExchangeThatIsNotThere(t *testing.T) {
	err := factory(t, "amqp://h", "").explain("connecting", admin(t, func(channel *amqp.Channel) error {
		return channel.ExchangeDeclare("none", hashed+"-none", false, true, false, false, nil)
	}))
	brokertest.WantFault(t, err, "unknown exchange type", "rabbitmq-plugins enable rabbitmq_consistent_hash_exchange")
}

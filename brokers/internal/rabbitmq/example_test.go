package rabbitmq_test

import (
	"fmt"
	"os"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/brokers/internal/rabbitmq"
)

func ExampleOpen() {
	_, err := rabbitmq.Open("amqp://user:secret@127.0.0.1/?queue-type=quorum", "20261121-1200")
	fmt.Println(err)
	// Output: rabbitmq: target amqp://user:xxxxx@127.0.0.1/?queue-type=quorum: option queue-type=quorum needs durable=true: quorum queues are always durable
}

func ExampleOptions() {
	for _, o := range rabbitmq.Options("amqp")[0:5] {
		fmt.Printf("%s=%s: %s\n", o.Name, o.Value, o.Doc)
	}
	// Output:
	// confirm=false: have the broker confirm each message as its acknowledgement; the client does not wait for it, but a rejected message counts as failed
	// durability=as-set: failures that an acknowledged message survives, see `brokerbench durability`: sets the options that the level needs, and asks the broker whether it backs the level; as-set: leave it to the other options: as-set, none, accepted, process, machine, node
	// durability-check=true: measure nothing if the broker does not back the durability asked for; false: measure anyway, with a warning
	// durable=false: keep the queue when its connection is lost or the broker restarts; otherwise it is exclusive and goes with the connection
	// exchange=default: exchange in front of the queue, the default one or a new one of this type; with groups of consumers, fanout instead of the default one: default, direct, fanout, topic
}

// One round trip, without the engine.
func Example() {
	factory, err := rabbitmq.Open(os.Getenv("BROKERBENCH_RABBITMQ_URL"), "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(brokertest.ThereAndBack(factory, "there and back again"))
}

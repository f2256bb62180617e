package rabbitmq_test

import (
	"fmt"
	"os"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/brokers/rabbitmq"
)

func ExampleOpen() {
	_, err := rabbitmq.Open("amqp://user:secret@127.0.0.1/?queue-type=quorum", "20261121-1200")
	fmt.Println(err)
	// Output: rabbitmq: target amqp://user:xxxxx@127.0.0.1/?queue-type=quorum: option queue-type=quorum needs durable=true: there are no other quorum queues
}

func ExampleOptions() {
	for _, o := range rabbitmq.Options("amqp")[:3] {
		fmt.Printf("%s=%s: %s\n", o.Name, o.Value, o.Doc)
	}
	// Output:
	// confirm=false: the broker confirms each message; not waited for, a negative one makes the op failed
	// durable=false: the queue outlives its connection and the broker; else it is exclusive and deleted with the connection
	// exchange=default: what routes to the queue: the default exchange, or one of its own of that type: default, direct, fanout, topic
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

package rabbitmq_test

import (
	"context"
	"fmt"
	"os"

	"github.com/brokerbench/brokerbench/brokers/rabbitmq"
)

func ExampleOpen() {
	_, err := rabbitmq.Open("amqp://user:secret@127.0.0.1/?queue-type=quorum", "20261121-1200")
	fmt.Println(err)
	// Output: brokers/rabbitmq: target amqp://user:xxxxx@127.0.0.1/?queue-type=quorum: option queue-type=quorum needs durable=true: there are no other quorum queues
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
	replies := make(chan string, 1)
	r, _ := factory.New(0, func(payload []byte) { replies <- string(payload) })
	ctx := context.Background()
	defer func() { _ = r.Teardown(ctx) }()
	if err := r.Setup(ctx); err != nil {
		fmt.Println(err)
		return
	}
	if err := r.Request(ctx, []byte("there and back")); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(<-replies)
}

package amqp1_test

import (
	"fmt"

	"github.com/brokerbench/brokerbench/brokers/internal/amqp1"
)

func ExampleOpen() {
	_, err := amqp1.Open("amqp1://user:secret@127.0.0.1/?queue-type=quorum", "20261121-1200")
	fmt.Println(err)
	// Output: amqp1: target amqp1://user:xxxxx@127.0.0.1/?queue-type=quorum: option queue-type=quorum needs durable=true: quorum queues are always durable
}

func ExampleOptions() {
	for _, o := range amqp1.Options("amqp1")[:2] {
		fmt.Printf("%s=%s: %s\n", o.Name, o.Value, o.Doc)
	}
	// Output:
	// accept=false: have the broker keep each delivery until it is accepted; otherwise it delivers settled
	// confirm=false: send messages unsettled: the broker's outcome is their acknowledgement, or why they failed; the client does not wait for it. Otherwise they are sent settled, and one that is refused counts as lost
}

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
	// address=: of each connection's queue in a broker other than RabbitMQ, with {name} (brokerbench.<run>.<connection>) or {number} (of the connection) in it; dynamic: the broker makes a temporary queue; "": RabbitMQ
}

package nats_test

import (
	"fmt"
	"log"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/brokers/internal/nats"
	"github.com/nats-io/nats-server/v2/server"
)

// One connection, one round trip; the engine in requester/load does this at a
// rate.
func Example() {
	broker, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, NoSigs: true})
	if err != nil {
		log.Fatal(err)
	}
	broker.Start()
	defer broker.Shutdown()

	factory, err := nats.Open(broker.ClientURL()+"?reconnect-wait=1s", "example")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(brokertest.ThereAndBack(factory, "sixteen bytes or more"))
	// Output: sixteen bytes or more <nil>
}

// Every option, with its default, for a user who asks.
func ExampleOptions() {
	for _, option := range nats.Options("nats") {
		if option.Name == "reconnect-wait" {
			fmt.Printf("%s=%s: %s\n", option.Name, option.Value, option.Doc)
		}
	}
	// Output: reconnect-wait=100ms: pause between attempts to reconnect, without jitter
}

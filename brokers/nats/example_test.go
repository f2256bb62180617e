package nats_test

import (
	"context"
	"fmt"
	"log"

	"github.com/brokerbench/brokerbench/brokers/nats"
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
	replies := make(chan string, 1)
	connection, err := factory.New(0, func(payload []byte) { replies <- string(payload) })
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	defer func() { _ = connection.Teardown(ctx) }()
	if err := connection.Setup(ctx); err != nil {
		log.Fatal(err)
	}
	if err := connection.Request(ctx, []byte("sixteen bytes or more")); err != nil {
		log.Fatal(err)
	}
	fmt.Println(<-replies)
	// Output: sixteen bytes or more
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

package redis_test

import (
	"context"
	"fmt"
	"log"

	"github.com/alicebob/miniredis/v2"
	"github.com/brokerbench/brokerbench/brokers/redis"
)

// One connection, one round trip; the engine in requester/load does this at a
// rate. Nothing is measured here: the server is a fake.
func Example() {
	fake, err := miniredis.Run()
	if err != nil {
		log.Fatal(err)
	}
	defer fake.Close()

	factory, err := redis.Open("redis://"+fake.Addr()+"/0?reconnect-wait=1s", "example")
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
	for _, option := range redis.Options("redis") {
		if option.Name == "reconnect-wait" {
			fmt.Printf("%s=%s: %s\n", option.Name, option.Value, option.Doc)
		}
	}
	// Output: reconnect-wait=100ms: pause between attempts to reconnect, without jitter
}

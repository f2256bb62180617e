package redis_test

import (
	"fmt"
	"log"

	"github.com/alicebob/miniredis/v2"
	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/brokers/internal/redis"
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
	fmt.Println(brokertest.ThereAndBack(factory, "sixteen bytes or more"))
	// Output: sixteen bytes or more <nil>
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

package rabbitstream_test

import (
	"fmt"
	"log"
	"os"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/brokers/internal/rabbitstream"
)

func ExampleOpen() {
	_, err := rabbitstream.Open("rabbitmq-stream://user:secret@127.0.0.1?sub-entry-size=10", "20261121-1200")
	fmt.Println(err)
	// Output: rabbitmq-stream: target rabbitmq-stream://user:xxxxx@127.0.0.1?sub-entry-size=10: option sub-entry-size=10 needs a batch-size of at least 2: a message alone is no batch
}

func ExampleOptions() {
	for _, o := range rabbitstream.Options("rabbitmq-stream")[:2] {
		fmt.Printf("%s=%s: %s\n", o.Name, o.Value, o.Doc)
	}
	// Output:
	// batch-size=1: messages that the client may put into one frame; 1: each request writes its own message; more: a goroutine of the client writes the messages that are queued, together
	// checksum=true: have the client verify the checksum of each chunk
}

// A program leaves out what the client library logs by itself.
func ExampleMute() {
	log.SetOutput(rabbitstream.Mute(os.Stderr))
}

// One round trip, without the engine.
func Example() {
	factory, err := rabbitstream.Open(os.Getenv("BROKERBENCH_RABBITMQ_STREAM_URL"), "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(brokertest.ThereAndBack(factory, "there and back again"))
}

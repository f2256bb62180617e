package kafka_test

import (
	"fmt"
	"log"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/brokers/internal/kafka"
	"github.com/twmb/franz-go/pkg/kfake"
)

// Against a fake, to show the calls. Measuring is package load's part.
func Example() {
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1))
	if err != nil {
		log.Fatal(err)
	}
	defer cluster.Close()
	factory, err := kafka.Open("kafka://"+cluster.ListenAddrs()[0]+"?acks=all", "example")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(brokertest.ThereAndBack(factory, "there and back again"))
	// Output: there and back again <nil>
}

func ExampleOpen() {
	_, err := kafka.Open("kafka://127.0.0.1:9092?idempotent=true", "example")
	fmt.Println(err)
	_, err = kafka.Open("kafka://127.0.0.1:9092?lingre=5ms", "example")
	fmt.Println(err)
	// Output:
	// kafka: target kafka://127.0.0.1:9092?idempotent=true: option idempotent=true needs acks=all, not acks=1
	// kafka: target kafka://127.0.0.1:9092?lingre=5ms: unknown option "lingre" (did you mean "linger"?); `brokerbench brokers kafka` lists them
}

func ExampleOptions() {
	for _, option := range kafka.Options("kafka") {
		if option.Name == "acks" || option.Name == "linger" {
			fmt.Printf("%s=%s  %s\n", option.Name, option.Value, option.Doc)
		}
	}
	// Output:
	// acks=1  brokers that acknowledge a message: none, the leader, or all in-sync replicas: 0, 1, all
	// linger=0s  how long a message waits for others to join its batch
}

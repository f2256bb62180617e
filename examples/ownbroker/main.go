// Command ownbroker is brokerbench with one more kind of target: an HTTP service that
// echoes its requests. It has all of brokerbench's commands:
//
//	go run ./examples/ownbroker/service 127.0.0.1:8080 &
//	go run ./examples/ownbroker run rest://127.0.0.1:8080/echo nats://127.0.0.1:4222
package main

import (
	"os"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/cmd"
)

func main() {
	os.Exit(cmd.Main(append(brokers.All(), brokers.Broker{
		Name: "rest", Schemes: []string{"rest"}, Example: "rest://127.0.0.1:8080/echo",
		Summary: "an HTTP service that answers a POST with its body",
		Options: options, Open: open,
	})))
}

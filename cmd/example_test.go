package cmd_test

import (
	"context"
	"os"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/cmd"
	"github.com/brokerbench/brokerbench/requester"
)

// ask sends a payload to a system and returns its answer.
func ask(_ context.Context, _ string, payload []byte) ([]byte, error) { return payload, nil }

// The main function of a program that knows a system of your own, which answers
// requests one at a time, beside those that brokerbench knows.
func ExampleMain() {
	mine := brokers.Broker{
		Name: "mine", Schemes: []string{"mine"}, Example: "mine://127.0.0.1:7000", Summary: "a system of my own",
		Open: func(t target.Target, _ string) (requester.Factory, error) {
			at := t.Addrs("7000")[0]
			return requester.Blocking(func(ctx context.Context, payload []byte) ([]byte, error) {
				return ask(ctx, at, payload)
			}), nil
		},
	}
	os.Exit(cmd.Main(append(brokers.All(), mine)))
}

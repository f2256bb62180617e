// Command brokerbench measures message-broker latency honestly.
package main

import (
	"os"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/cmd"
)

func main() { os.Exit(cmd.Main(brokers.All())) }

// Command brokerbench measures message-broker latency honestly.
package main

import (
	"os"

	"github.com/brokerbench/brokerbench/cmd/internal/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:], cli.System())) }

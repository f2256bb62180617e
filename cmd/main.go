// Package cmd is brokerbench's command line as a function, for a program that adds its own
// brokers. Such a program has every command, and a main of a few lines:
//
//	func main() { os.Exit(cmd.Main(append(brokers.All(), mine))) }
//
// See examples/ownbroker.
package cmd

import (
	"log"
	"os"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/cmd/internal/cli"
	"github.com/brokerbench/brokerbench/cmd/internal/command"
)

// Main runs the command line of this process, whose targets may name the brokers of
// the table, and returns the exit code. Call it first thing: it starts this program
// again as a child, for the TCP echo that floors are measured against, and for the
// NATS server that `run` without a target measures. It discards the output of client
// libraries to Go's standard logger.
func Main(table brokers.Table) int {
	log.SetOutput(brokers.Mute(log.Writer()))
	return cli.Main(os.Args[1:], command.System(table))
}

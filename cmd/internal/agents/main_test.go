//go:build unix

// Package agents tests runs on several machines: real processes of this very program,
// killed and frozen and cut off, in network namespaces where there are any.
package agents

import (
	"flag"
	"fmt"
	"net"
	"os"
	"strconv"
	"testing"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/cmd"
)

// program makes a process of this test the program itself. Its agents inherit it.
const program = "TEST_IS_THE_PROGRAM"

func TestMain(m *testing.M) {
	switch {
	case os.Getenv(program) == "":
		flag.Parse()
		_ = flag.Set("test.parallel", "2") // these tests wait for processes and leases, not for a core
		m.Run()
	case len(os.Args) == 3 && os.Args[1] == natsForTests:
		if err := serveNATS(os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	default:
		os.Exit(cmd.Main(brokers.All())) //nolint:forbidigo // this process is the program
	}
}

// natsForTests makes the process a NATS server at an address, as a broker to measure.
const natsForTests = "serve-nats-for-tests"

func serveNATS(addr string) error {
	host, text, err := net.SplitHostPort(addr)
	if err != nil {
		return err
	}
	port, err := strconv.Atoi(text)
	if err != nil {
		return err
	}
	s, err := server.NewServer(&server.Options{Host: host, Port: port, NoSigs: true, NoLog: true})
	if err != nil {
		return err
	}
	s.Start()
	fmt.Fprintln(os.Stdout, "serves")
	s.WaitForShutdown()
	return nil
}

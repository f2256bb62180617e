// Package agents tests runs on several machines: real processes of this very program,
// killed and frozen and cut off, in network namespaces where there are any.
package agents

import (
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
		os.Exit(m.Run())
	case len(os.Args) == 3 && os.Args[1] == natsForTests:
		serveNATS(os.Args[2])
	default:
		os.Exit(cmd.Main(brokers.All()))
	}
}

// natsForTests makes the process a NATS server at an address, as a broker to measure.
const natsForTests = "serve-nats-for-tests"

func serveNATS(addr string) {
	host, text, err := net.SplitHostPort(addr)
	port, _ := strconv.Atoi(text)
	s, newErr := server.NewServer(&server.Options{Host: host, Port: port, NoSigs: true, NoLog: true})
	if err != nil || newErr != nil {
		fmt.Println(err, newErr)
		os.Exit(1)
	}
	s.Start()
	fmt.Println("serves")
	s.WaitForShutdown()
}

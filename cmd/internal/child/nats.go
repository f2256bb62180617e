package child

import (
	"fmt"
	"io"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// natsCommand starts this program as a NATS server.
const natsCommand = "nats-server-child"

// natsTimeout is how long the server may take to accept connections. It usually
// takes 30 ms.
const natsTimeout = 10 * time.Second

// NATS is a NATS server in a child process, for `brokerbench run` without a
// target: a real broker behind a real socket, with nothing to install. It has a
// process of its own so that its goroutines and its garbage collector do not
// compete with the sender's.
type NATS struct {
	URL string // nats://127.0.0.1:port
	*process
}

// StartNATS starts a server on a free loopback port and returns when it accepts
// connections. The caller calls Stop.
func StartNATS() (*NATS, error) {
	p, err := start("NATS server", natsCommand)
	if err != nil {
		return nil, err
	}
	return &NATS{p.ready, p}, nil
}

func serveNATS(in io.Reader, out io.Writer) error {
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, NoSigs: true, NoLog: true})
	if err != nil {
		return err
	}
	s.Start()
	defer s.WaitForShutdown()
	defer s.Shutdown()
	if !s.ReadyForConnections(natsTimeout) {
		return fmt.Errorf("it does not accept connections after %v", natsTimeout)
	}
	return answer(in, out, s.ClientURL(), nil)
}

//go:build !nonatsserver

package child

import (
	"fmt"
	"io"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// builtWithNATS returns no error: this program has a server.
func builtWithNATS() error { return nil }

// natsTimeout is how long the server may take to accept connections. It usually
// takes 30 ms.
const natsTimeout = 10 * time.Second

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

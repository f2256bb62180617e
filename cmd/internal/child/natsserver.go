//go:build !nonatsserver

package child

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// builtWithNATS returns no error: this program has a server.
func builtWithNATS() error { return nil }

// natsTimeout is how long the server may take to accept connections. It usually
// takes 30 ms.
const natsTimeout = 10 * time.Second

func serveNATS(store Store, in io.Reader, out io.Writer) error {
	const host = "127.0.0.1"
	o := &server.Options{Host: host, Port: server.RANDOM_PORT, NoSigs: true, NoLog: true}
	if store != NoStore {
		dir, err := os.MkdirTemp("", "brokerbench-nats-")
		if err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(dir) }()
		o.JetStream, o.StoreDir, o.SyncAlways = true, dir, store == Synced
		o.HTTPHost, o.HTTPPort = host, server.RANDOM_PORT
	}
	s, err := server.NewServer(o)
	if err != nil {
		return err
	}
	s.Start()
	defer s.WaitForShutdown()
	defer s.Shutdown()
	if !s.ReadyForConnections(natsTimeout) {
		return fmt.Errorf("it does not accept connections after %v", natsTimeout)
	}
	url := s.ClientURL()
	if store != NoStore {
		url += "?monitoring=http://" + s.MonitorAddr().String()
	}
	return answer(in, out, url, nil)
}

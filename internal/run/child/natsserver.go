//go:build !nonatsserver

package child

import (
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/brokerbench/brokerbench/internal/leaf/self"
)

// builtWithNATS returns no error: this program has a server.
func builtWithNATS() error { return nil }

// natsTimeout is how long the server may take to accept connections. It usually
// takes 30 ms.
const natsTimeout = 10 * time.Second

// becomeNATS is the main function of nats-server, which ends by a signal.
func becomeNATS(args []string) error {
	o, err := server.ConfigureOptions(flag.NewFlagSet("nats-server", flag.ContinueOnError), args, server.PrintServerAndExit, func() {}, server.PrintTLSHelpAndDie)
	if err != nil || o == nil {
		return err
	}
	s, err := server.NewServer(o)
	if err != nil {
		return err
	}
	s.ConfigureLogger()
	if err := server.Run(s); err != nil {
		return err
	}
	s.WaitForShutdown()
	return nil
}

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
	return self.Answer(in, out, url, nil)
}

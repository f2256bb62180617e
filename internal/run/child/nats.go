package child

import (
	"errors"
	"os"

	"github.com/brokerbench/brokerbench/internal/leaf/self"
)

// These start this program as a NATS server: one that ends with its parent, and one that takes
// the arguments of nats-server.
const (
	natsCommand = "nats-server-child"
	natsNode    = "nats-server-node"
)

// NATSCommand returns the command that becomes a NATS server with the arguments of
// nats-server. A program that was built without one is an error.
func NATSCommand() ([]string, error) {
	program, err := os.Executable()
	return []string{program, natsNode}, errors.Join(err, builtWithNATS())
}

// NATS is a NATS server in a child process, for `brokerbench run` without a
// target: a real broker behind a real socket, with nothing to install. It runs in a
// separate process so that its goroutines and its garbage collector do not
// compete with the sender's.
type NATS struct {
	URL string // of the target: nats://127.0.0.1:port, with a Store also its monitoring port
	*self.Process
}

// A Store says whether a NATS server keeps streams.
type Store string

// The stores.
const (
	NoStore Store = "none"   // no streams
	Files   Store = "files"  // in a temporary folder, which goes with the server
	Synced  Store = "synced" // the same, with fsync before each acknowledgement
)

func (s Store) known() bool { return s == NoStore || s == Files || s == Synced }

// StartNATS starts a server on a free loopback port and returns when it accepts
// connections. The caller calls Stop.
func StartNATS(store Store) (*NATS, error) {
	if err := builtWithNATS(); err != nil {
		return nil, err
	}
	p, err := self.Start("NATS server", natsCommand, string(store))
	if err != nil {
		return nil, err
	}
	return &NATS{p.Ready, p}, nil
}

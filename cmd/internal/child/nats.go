package child

// natsCommand starts this program as a NATS server.
const natsCommand = "nats-server-child"

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
	if err := builtWithNATS(); err != nil {
		return nil, err
	}
	p, err := start("NATS server", natsCommand)
	if err != nil {
		return nil, err
	}
	return &NATS{p.ready, p}, nil
}

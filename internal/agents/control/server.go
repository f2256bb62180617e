//go:build !nonatsserver

package control

import (
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/brokerbench/brokerbench/internal/agents/wire"
)

const (
	// readyTimeout is how long the server may take to accept connections.
	readyTimeout = 10 * time.Second
	// mostPending bounds what waits for one connection: a chunk of a result from each of a thousand
	// agents waits for the coordinator.
	mostPending = 256 << 20
	// mostPayload bounds a message: a chunk of a result is the largest.
	mostPayload = 2 * wire.ChunkSize
)

// A Server is the control server of a run, in this process.
type Server struct {
	server *server.Server
	port   int
}

// Serve starts the server of a run at a host and port, 0 for any. The caller calls Close.
func Serve(run, host string, port int, secrets Secrets) (*Server, error) {
	config, err := secrets.tls()
	if err != nil {
		return nil, err
	}
	if port == 0 {
		port = server.RANDOM_PORT
	}
	o := &server.Options{
		ServerName: "brokerbench-" + run, Host: host, Port: port, NoSigs: true, NoLog: true, DontListen: false,
		TLSConfig: config, TLSTimeout: 5, Users: users(run, secrets), MaxPending: mostPending, MaxPayload: mostPayload,
		PingInterval: time.Second, MaxPingsOut: 5, // of its own accord it takes four minutes to see that a link is dead
	}
	s, err := server.NewServer(o)
	if err != nil {
		return nil, fmt.Errorf("starting the control server: %w", err)
	}
	s.Start()
	if !s.ReadyForConnections(readyTimeout) {
		s.Shutdown()
		return nil, fmt.Errorf("the control server does not accept connections at %s after %v", net.JoinHostPort(host, strconv.Itoa(port)), readyTimeout)
	}
	return &Server{s, s.Addr().(*net.TCPAddr).Port}, nil
}

// Port returns where the server listens.
func (s *Server) Port() int { return s.port }

// Close stops the server and returns when it has ended.
func (s *Server) Close() {
	s.server.Shutdown()
	s.server.WaitForShutdown()
}

// users returns the coordinator and the agents. Each may publish and hear only what is its own part
// of the run.
func users(run string, secrets Secrets) (list []*server.User) {
	subjects := wire.Subjects{Run: run}
	list = append(list, user(secrets.Coordinator, &server.Permissions{
		Publish:   allow(subjects.Orders("*"), subjects.Inbox("*")+".>"),
		Subscribe: allow(subjects.Beat("*"), subjects.Results("*"), subjects.Coordinator()+".>"),
	}))
	for _, agent := range secrets.Agents {
		list = append(list, user(agent, &server.Permissions{
			Publish:   allow(subjects.Beat(agent.Name), subjects.Results(agent.Name)),
			Subscribe: allow(subjects.Orders(agent.Name), subjects.Inbox(agent.Name)+".>"),
			Response:  &server.ResponsePermission{MaxMsgs: 1, Expires: time.Minute}, // to an order
		}))
	}
	return list
}

func allow(subjects ...string) *server.SubjectPermission {
	return &server.SubjectPermission{Allow: subjects}
}

func user(i wire.Identity, may *server.Permissions) *server.User {
	return &server.User{Username: i.Name, Password: i.Secret, Permissions: may}
}

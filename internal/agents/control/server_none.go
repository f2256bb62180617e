//go:build nonatsserver

package control

import "errors"

// A Server is the control server of a run; this program was built without one.
type Server struct{}

// Serve returns an error.
func Serve(_, _ string, _ int, _ Secrets) (*Server, error) {
	return nil, errors.New("this program was built without a NATS server: name one with --control nats://…")
}

// Port returns 0.
func (*Server) Port() int { return 0 }

// Close does nothing.
func (*Server) Close() {}

//go:build nonatsserver

package child

import (
	"errors"
	"io"
)

// builtWithNATS says that a program which is built to be small has no server.
func builtWithNATS() error {
	return errors.New("this program has no built-in NATS server (it was built with -tags nonatsserver): name a target, such as nats://127.0.0.1:4222")
}

// becomeNATS cannot become one.
func becomeNATS([]string) error { return builtWithNATS() }

// serveNATS cannot serve.
func serveNATS(Store, io.Reader, io.Writer) error { return builtWithNATS() }

//go:build nonatsserver

package child

import (
	"errors"
	"io"
)

// serveNATS cannot serve: this program is built to be small.
func serveNATS(io.Reader, io.Writer) error {
	return errors.New("this program was built without one (-tags nonatsserver): name a target")
}

package cli

import (
	"fmt"
	"io"

	"github.com/brokerbench/brokerbench/cmd/internal/natschild"
	"github.com/brokerbench/brokerbench/cmd/internal/pausechild"
	"github.com/brokerbench/brokerbench/cmd/internal/tcpchild"
)

// child returns what this program does when brokerbench has started it as a
// child; nil if it is not one.
func child(args []string) func(in io.Reader, out io.Writer) error {
	switch {
	case len(args) == 1 && args[0] == natschild.Command:
		return natschild.Serve
	case len(args) == 2 && args[0] == tcpchild.Command:
		return func(in io.Reader, out io.Writer) error { return tcpchild.Serve(args[1], in, out) }
	case len(args) == 2 && args[0] == pausechild.Command:
		return func(in io.Reader, out io.Writer) error { return pausechild.Serve(args[1], in, out) }
	}
	return nil
}

func serveChild(s Streams, serve func(io.Reader, io.Writer) error) int {
	if err := serve(s.In, s.Out); err != nil {
		fmt.Fprintln(s.Err, err)
		return exitError
	}
	return exitGood
}

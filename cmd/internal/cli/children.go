package cli

import (
	"fmt"

	"github.com/brokerbench/brokerbench/cmd/internal/child"
)

// serveChild does a child's work, if brokerbench started this process as one.
func serveChild(args []string, s Streams) (code int, isChild bool) {
	isChild, err := child.Serve(args, s.In, s.Out)
	if err != nil {
		fmt.Fprintln(s.Err, err)
		return exitError, isChild
	}
	return exitGood, isChild
}

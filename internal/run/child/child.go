// Package child runs parts of brokerbench in child processes. A child is this program,
// started with a hidden argument. See package self for the communication between parent
// and child.
package child

import "io"

// Serve runs this process as a child if args, without the program's name, are
// those of one. It then returns when in ends.
func Serve(args []string, in io.Reader, out io.Writer) (isChild bool, err error) {
	switch {
	case len(args) > 0 && args[0] == natsNode:
		return true, becomeNATS(args[1:])
	case len(args) == 2 && args[0] == natsCommand && Store(args[1]).known():
		return true, serveNATS(Store(args[1]), in, out)
	case len(args) == 2 && args[0] == tcpCommand:
		return true, serveTCP(args[1], in, out)
	case len(args) == 2 && args[0] == pauseCommand:
		return true, servePause(args[1], in, out)
	}
	return false, nil
}

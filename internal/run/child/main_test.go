package child

import (
	"fmt"
	"os"
	"strconv"
	"testing"
)

// The processes of the tests, besides the children that brokerbench has.
const (
	refuse = "start-and-print-the-error"   // of a pid
	holder = "pause-and-wait-to-be-killed" // a pid
)

// TestMain lets this test binary be the children, and processes of the tests.
func TestMain(m *testing.M) {
	isChild, err := Serve(os.Args[1:], os.Stdin, os.Stdout)
	switch {
	case isChild:
	case len(os.Args) == 3:
		isChild = true
		err = serveTest(os.Args[1], os.Args[2])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	if !isChild {
		m.Run()
	}
}

func serveTest(command, argument string) error {
	pid, _ := strconv.Atoi(argument)
	switch command {
	case refuse:
		_, err := StartPauser(pid)
		fmt.Fprintln(os.Stdout, err)
	case holder:
		p, err := StartPauser(pid)
		if err == nil {
			err = p.Pause()
		}
		fmt.Fprintln(os.Stdout, err)
		select {}
	}
	return nil
}

// Package agents tests runs on several machines: real processes of this very program,
// killed and frozen and cut off, in network namespaces where there are any.
package agents

import (
	"os"
	"testing"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/cmd"
)

// program makes a process of this test the program itself. Its agents inherit it.
const program = "TEST_IS_THE_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(program) != "" {
		os.Exit(cmd.Main(brokers.All()))
	}
	os.Exit(m.Run())
}

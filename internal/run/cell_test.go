package run

import (
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/loopback"
	"github.com/brokerbench/brokerbench/internal/machine"
	"github.com/brokerbench/brokerbench/requester/load"
)

func TestACellSaysWhatItCouldUseAndWhatWasNotJudged(t *testing.T) {
	cell := cellOf(100, time.Second)
	c := virtual(t, loopback.Config{Delay: ms}, cell, Options{})
	if c.UsableCores <= 0 || c.SpinNS < int64(load.LeastSpin) || len(c.NotJudged) != 7 {
		t.Errorf("%v cores, spin %d ns, not judged: %+v; want seven rules", c.UsableCores, c.SpinNS, c.NotJudged)
	}
}

// The kernel of a broker is that of this machine, or unknown.
func TestTheKernelBelowTheBrokerIsKnownHere(t *testing.T) {
	cell := cellOf(100, time.Second)
	if c := virtual(t, loopback.Config{Delay: ms}, cell, Options{}); c.Broker.Kernel != nil {
		t.Errorf("elsewhere: %s, want nothing", *c.Broker.Kernel)
	}
	want := machine.ReadSystem("/").Release
	if want == "" {
		t.Skip("the system does not tell its kernel")
	}
	if c := virtual(t, loopback.Config{Delay: ms}, cell, Options{Shared: true}); c.Broker.Kernel == nil || *c.Broker.Kernel != want {
		t.Errorf("here: %v, want %s", c.Broker.Kernel, want)
	}
}

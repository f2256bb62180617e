package run

import (
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/loopback"
	"github.com/brokerbench/brokerbench/requester/load"
)

func TestACellSaysWhatItCouldUseAndWhatWasNotJudged(t *testing.T) {
	cell := cellOf(100, time.Second)
	c := virtual(t, loopback.Config{Delay: ms}, cell, Options{})
	if c.UsableCores <= 0 || c.SpinNS < int64(load.LeastSpin) || len(c.NotJudged) != 7 {
		t.Errorf("%v cores, spin %d ns, not judged: %+v; want seven rules", c.UsableCores, c.SpinNS, c.NotJudged)
	}
}

package run

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/internal/loopback"
	"github.com/brokerbench/brokerbench/internal/machine"
	"github.com/brokerbench/brokerbench/internal/record"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/results"
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

// A driver notes how it is called, and is ready after 3 s.
type driver struct {
	FaultDriver

	said []string
}

func (*driver) Recorder() load.Recorder                    { return nil }
func (*driver) Wrap(f requester.Factory) requester.Factory { return f }
func (*driver) Ended()                                     {}
func (d *driver) Heal()                                    { d.said = append(d.said, "heal") }

func (d *driver) Ready(ctx context.Context) {
	d.said = append(d.said, "ready")
	select {
	case <-time.After(3 * time.Second):
	case <-ctx.Done():
	}
}

func (d *driver) Begin(_ requester.Factory, start time.Time) {
	d.said = append(d.said, "begin in "+time.Until(start).Round(ms).String())
}

func (d *driver) Assess(*results.Cell, load.Outcome, *record.Bitmap) {
	d.said = append(d.said, "assess")
}

// Faults are ready before the first message. A cell that is interrupted meanwhile has a result.
func TestFaultsAreReadyBeforeTheFirstMessage(t *testing.T) {
	cell := cellOf(100, time.Second)
	cell.Settings.Faults = []plan.Fault{{Do: plan.PowerOff, Node: "1"}}
	for name, after := range map[string]time.Duration{"": time.Hour, "interrupted": time.Second} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f, err := loopback.New(loopback.Config{Delay: ms})
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithTimeout(t.Context(), after)
				defer cancel()
				d := new(driver)
				o := Options{Faults: d}
				o.NewWaiter = load.SleepWaiter
				c, err := Cell(ctx, f, cell, o)
				if err != nil {
					t.Fatal(err)
				}
				if want := []string{"ready", "begin in 20ms", "heal", "assess"}; !slices.Equal(d.said, want) {
					t.Errorf("got %v, want %v", d.said, want)
				}
				if c.Interrupted != (name != "") || (c.Ledger.Done == 0) != c.Interrupted {
					t.Errorf("interrupted: %v, %+v", c.Interrupted, c.Ledger)
				}
			})
		})
	}
}

//go:build linux

package cli

import (
	"context"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/internal/run"
	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/results"
)

// TestWhatAQueueLosesIsCounted kills a broker while its queues are long, because the
// consumers are slow, and wants the audit to find exactly what was acknowledged before and
// was not delivered: all of it, if messages are transient, and nothing, if they are not.
func TestWhatAQueueLosesIsCounted(t *testing.T) {
	if testing.Short() || os.Getenv("BROKERBENCH_NATS_URL") == "" && os.Getenv("BROKERBENCH_RABBITMQ4_URL") == "" {
		t.Skip("NO REAL BROKER: BROKERBENCH_NATS_URL is not set; see deploy/local/brokers")
	}
	t.Parallel()
	for server, targets := range map[string][]string{
		"rabbitmq":  {"amqp?persistent=false"}, // the rest takes too long for each day
		"rabbitmq4": {"amqp?persistent=false", "amqp?persistent=true", "amqp1?persistent=false", "amqp1?persistent=true", "amqp1?queue-type=quorum"},
	} {
		if os.Getenv("BROKERBENCH_"+strings.ToUpper(server)+"_URL") == "" {
			continue
		}
		t.Run(server, func(t *testing.T) {
			t.Parallel()
			url, do := ownBroker(t, server)
			url, _, _ = strings.Cut(url, "?")
			for _, target := range targets {
				t.Run(target, func(t *testing.T) {
					scheme, options, _ := strings.Cut(target, "?")
					kept(t, scheme+strings.TrimPrefix(url, "amqp")+"?durable=true&confirm=true&"+unsettled[scheme]+"&"+options, do, options == "persistent=false")
				})
			}
		})
	}
}

// unsettled are the options by which a broker keeps what is delivered until a consumer has
// taken it.
var unsettled = map[string]string{"amqp": "prefetch=100", "amqp1": "accept=true&credit=100"}

func kept(t *testing.T, url string, do func(string), loses bool) {
	target, err := brokers.All().Parse(url)
	if err != nil {
		t.Fatal(err)
	}
	inner, err := target.Open("kept")
	if err != nil {
		t.Fatal(err)
	}
	f := &slow{Auditor: inner.(requester.Auditor), inner: inner, back: make(chan struct{}), acked: make(map[requester.Stamp]bool), delivered: make(map[requester.Stamp]bool)}
	cell := plan.Cell{
		Target: plan.Target{Name: "queue", URL: url}, Shape: plan.Shape{Rate: 1000, Size: 100, Connections: 2},
		Settings: plan.Settings{Duration: 3 * time.Second, Timeout: 5 * time.Second, Audit: true},
	}
	var before map[requester.Stamp]bool
	c, err := run.Cell(t.Context(), f, cell, run.Options{Options: measure.Options{Started: func(start time.Time) {
		time.AfterFunc(time.Until(start.Add(2*time.Second)), func() {
			do("kill")
			before = f.ackedSoFar() // whoever is dead acknowledges nothing more
			do("start")
			close(f.back)
		})
	}}})
	if err != nil {
		t.Fatal(err)
	}
	lost := f.missing(before)
	t.Logf("%d acknowledged before the kill, %d of them never delivered; audit %+v", len(before), lost, c.Audit)
	a := c.Audit
	switch {
	case a == nil || a.Error != "" || !a.Taken || a.Acked != a.Delivered+a.Kept+a.Missing || a.Delivered == 0:
		t.Fatalf("%+v", a)
	case loses && (a.Missing != int64(lost) || lost == 0):
		t.Errorf("%d are missing, want %d", a.Missing, lost)
	case !loses && a.Missing != 0:
		t.Errorf("%d are missing, want none: %v", a.Missing, a.Some)
	}
	if want := map[bool]results.Outcome{true: results.Missed, false: results.Passed}[loses]; len(c.SLOs) != 1 || c.SLOs[0].Outcome != want {
		t.Errorf("%+v", c.SLOs)
	}
}

// slow is a target with consumers that take 3 ms for a message, and that counts by itself.
type slow struct {
	requester.Auditor

	inner requester.Factory
	back  chan struct{} // closed when the broker runs again

	mu               sync.Mutex
	acked, delivered map[requester.Stamp]bool
}

func (f *slow) New(conn int, sink requester.Sink) (requester.Requester, error) {
	reply, acked := sink.Reply, sink.Acked
	sink.Reply = func(payload []byte) {
		f.note(f.delivered, payload)
		reply(payload)
		time.Sleep(3 * time.Millisecond)
	}
	sink.Acked = func(payload []byte) {
		f.note(f.acked, payload)
		acked(payload)
	}
	return f.inner.New(conn, sink)
}

// Store has no Explain: what the first Audit does not find is lost.
func (f *slow) Store() requester.Store {
	return requester.Store{Consuming: f.Auditor.Store().Consuming}
}

func (f *slow) Audit(ctx context.Context, kept func([]byte)) error {
	<-f.back
	return f.Auditor.Audit(ctx, kept)
}

func (f *slow) note(in map[requester.Stamp]bool, payload []byte) {
	stamp, _ := requester.ReadStamp(payload)
	f.mu.Lock()
	defer f.mu.Unlock()
	in[stamp] = true
}

// ackedSoFar returns a copy of what was acknowledged so far.
func (f *slow) ackedSoFar() map[requester.Stamp]bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := make(map[requester.Stamp]bool)
	for stamp := range f.acked {
		all[stamp] = true
	}
	return all
}

// missing returns how many of those were not delivered.
func (f *slow) missing(acked map[requester.Stamp]bool) (n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for stamp := range acked {
		if !f.delivered[stamp] {
			n++
		}
	}
	return n
}

package canary

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"sync/atomic"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester/load"
)

// A recorder hands the times of each message to histograms, and counts. It allocates nothing.
type recorder struct {
	*histogram.Recorder

	done             []atomic.Int64 // by the second in which the messages were due
	last             atomic.Int64   // when the latest came back, from the start of the turn
	failed           atomic.Int64
	acked, delivered atomic.Int64
}

func newRecorder(length time.Duration) *recorder {
	return &recorder{Recorder: histogram.NewRecorder(len(Tags), 1), done: make([]atomic.Int64, length/time.Second+2)}
}

// Record implements load.Recorder.
func (r *recorder) Record(op load.Op) {
	samples := [3]histogram.Sample{{Series: Response, Value: op.Response()}, {Series: Service, Value: op.Service()}, {Series: Lag, Value: op.Lag()}}
	n := len(samples)
	if op.Queued {
		n-- // it waited for a slot
	}
	r.Recorder.Record(op.Conn, samples[:n])
	r.done[min(int(op.Due/time.Second), len(r.done)-1)].Add(1)
	r.last.Store(int64(op.Done))
	if op.Acked {
		r.delivered.Add(1)
	}
}

// RecordAck implements load.AckRecorder.
func (r *recorder) RecordAck(a load.Ack) {
	samples := [1]histogram.Sample{{Series: Ack, Value: a.Wait()}}
	r.Recorder.Record(a.Conn, samples[:])
	r.acked.Add(1)
	if a.Done {
		r.delivered.Add(1)
	}
}

// RecordFailure implements load.TroubleRecorder.
func (r *recorder) RecordFailure(int, uint64) { r.failed.Add(1) }

// RecordDuplicate implements load.TroubleRecorder.
func (r *recorder) RecordDuplicate(int, time.Duration) {}

// doneBefore returns how many of the messages are done that were due before a whole second.
func (r *recorder) doneBefore(second int) (n int64) {
	for i := range min(second, len(r.done)) {
		n += r.done[i].Load()
	}
	return n
}

// A turn is one run of the engine: an hour at most, on topics that are removed after it. Its messages belong to the
// hour in which it began.
type turn struct {
	name   string
	spec   schedule.Spec // of Duration at most
	rec    *recorder
	fresh  Histograms
	cancel context.CancelFunc

	want  time.Time // when it is to begin; zero: as soon as it is set up
	begun time.Time // zero until then
	// dropped turns were cancelled before they began.
	dropped bool
	stop    time.Duration // messages that are due later do not count: it was cancelled, or its schedule is over

	period  Period
	wall    time.Time // the wall clock when it began
	flushed time.Duration
	counter schedule.Counter
	older   schedule.Counter // counts behind counter, by the timeout
}

// slack is how soon before an hour begins a turn belongs to it: the wall clock moves against that of the process.
const slack = 5 * time.Second

// runName returns a name for the topics of a turn, of the form that runs have.
func runName(now time.Time) string {
	var id [4]byte
	_, _ = rand.Read(id[:]) // never fails
	return now.UTC().Format("20060102t150405") + "-" + hex.EncodeToString(id[:])
}

// begin is called when the schedule begins.
func (t *turn) begin(at, wall time.Time) {
	t.begun, t.wall, t.period = at, wall, HourOf(wall.Add(slack))
	t.counter, t.older = t.spec.Counter(schedule.Part{}), t.spec.Counter(schedule.Part{})
}

// end returns when no further message is due.
func (t *turn) end() time.Time { return t.begun.Add(t.stop) }

// progress returns the state of the turn at an offset, with done messages in the log.
func (t *turn) progress(at, timeout time.Duration, done int64) Progress {
	p := Progress{Due: int64(t.counter.Until(at)), Done: done, Failed: t.rec.failed.Load(), Acked: t.rec.acked.Load(), Delivered: min(t.rec.delivered.Load(), done)}
	second := int(max(at-timeout, 0) / time.Second)
	old := int64(t.older.Until(time.Duration(second) * time.Second))
	lost := max(old-t.rec.doneBefore(second)-p.Failed, 0)
	p.Recent = max(p.Due-p.Done-p.Failed-lost, 0)
	return p
}

// event is what the goroutine of a turn reports.
type event struct {
	turn    *turn
	begun   time.Time // when the schedule begins; zero: the turn is over
	outcome load.Outcome
	err     error
}

// launch sets a turn up, in a goroutine that reports twice: when it begins, and when it is over.
func (c *canary) launch(ctx context.Context, want time.Time) {
	now := time.Now()
	begin := want
	if begin.IsZero() {
		begin = now
	}
	wall := c.wallOf(begin)
	t := &turn{name: runName(now), want: want, spec: c.Config.Schedule, fresh: NewHistograms()}
	t.spec.Duration = HourOf(wall.Add(slack)).End().Sub(wall)
	t.stop = t.spec.Duration
	t.spec.Seed += uint64(wall.Unix())
	t.rec = newRecorder(t.spec.Duration)
	factory, err := c.Open(t.name)
	if err != nil { // of a canary that has measured: a file that the options name is away
		c.failed(now, gap, err)
		return
	}
	c.folder.Runs = append(c.folder.Runs, t.name)
	c.wrote(c.folder.save())
	ctx, t.cancel = context.WithCancel(ctx)
	cfg := c.Config
	cfg.Schedule = t.spec
	hooks := load.Hooks{
		Ready: func(context.Context) (time.Time, error) {
			if time.Now().After(want) {
				return time.Time{}, nil
			}
			return want, nil
		},
		Started: func(start time.Time) { c.events <- event{turn: t, begun: start} },
		GiveUp:  c.giveUp,
	}
	c.next, c.alive[t.name] = t, t
	go func() {
		outcome, err := c.engine(ctx, factory, cfg, t.rec, hooks)
		c.events <- event{turn: t, outcome: outcome, err: err}
	}()
}

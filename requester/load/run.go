package load

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/brokerbench/brokerbench/internal/content"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load/internal/notes"
	"github.com/brokerbench/brokerbench/requester/load/internal/wait"
)

// An Outcome is the result of a run.
type Outcome struct {
	Start        time.Time         // when the schedule began
	Elapsed      time.Duration     // from Start until the last op was settled or given up
	DueTill      time.Duration     // ops due until then count: the schedule's end, or the interruption
	FirstDone    time.Duration     // when the first op of the window to be done was done; 0 if none
	LastDone     time.Duration     // when the last was
	Sections     []Account         // of the window, which is their sum; empty without
	Window       Ledger            // the ops due after the warm-up: what counts
	Sizes        []Ledger          // the same of each of several sizes, the smallest first; nil for one size
	Warmup       Ledger            // the ops due before
	Acks         bool              // the system under test acknowledges, and AckLedger counts that
	AckLedger    AckLedger         // of the ops of the window
	Strays       Strays            // replies that belong to no op
	SendersCPU   time.Duration     // CPU time of the threads that send; 0 if the system does not tell, or one was left behind
	HeldByOthers float64           // of the time for which ops of the window were held up, the share that other connections caused, 0 to 1
	Failures     []Failure         // why ops failed, the most frequent cause first
	Events       []requester.Event // what happened to the connections, oldest first
	Groups       []Group           // what each group of consumers got of the ops of the window; nil without groups
	Left         []string          // what may be left in the system under test, such as "topic x"
	Interrupted  bool              // ctx ended before the run was over
}

// Hooks are calls that Run makes on the way. Each may be nil.
type Hooks struct {
	// Ready is called once, when everything is set up, and returns when the schedule is to
	// begin: machines that measure together wait for each other in it. An error ends
	// the run before it begins; Ready returns soon after ctx is done. Nil, or a zero start: at once.
	Ready func(ctx context.Context) (start time.Time, err error)
	// Started is called once, when everything is set up, before the first op
	// is due.
	Started func(start time.Time)
	// Acks is called once, before Started, if the system under test acknowledges.
	Acks func()
	// Publishes is called once, before Started, if the requesters tell when a message is on
	// the socket, and the recorder is a [PublishRecorder]; else that is not recorded.
	Publishes func()
	// Ended is called once, at the end of a run that began: the last op is recorded,
	// and nothing is torn down yet. elapsed is Outcome.Elapsed.
	Ended func(elapsed time.Duration)
	// Delivered is called for each message of the run that comes back intact, also for one
	// that comes again, or after the end of the run, until all is torn down. It is called
	// from any goroutine that calls Reply.
	Delivered func(conn int, seq uint64)
	// Settled is called once, when all sending and waiting is over, and nothing is torn
	// down yet: the store of the system under test can be read. mine finds the
	// connection and the sequence of a message, as in [Op]; ok is false if it is none of
	// this run's.
	Settled func(mine func(payload []byte) (conn int, seq uint64, ok bool))
	// GiveUp makes Run return within two seconds once it is closed, with what
	// it has, whatever the requesters do. Nil: it never is.
	GiveUp <-chan struct{}
}

// Run sets up the connections, sends what the schedule says when it is due,
// follows every op to its end, and tears down. rec gets every op that is done,
// from several goroutines, and is not called after Run has returned.
//
// When ctx ends, no further op becomes due, those in flight have a second to
// come back, and the outcome of the ops that were due is returned without an error. An
// error means that there was no run: a mistake in cfg, a set-up or a probe that
// failed, or a ledger that does not add up. The outcome then holds only Left.
func Run(ctx context.Context, f requester.Factory, cfg Config, rec Recorder, hooks Hooks) (Outcome, error) {
	if err := cfg.Validate(); err != nil {
		return Outcome{}, err
	}
	r := newRun(ctx, cfg.withDefaults(), rec)
	r.hooks = hooks
	defer r.cancel()
	if err := r.connect(ctx, f); err != nil {
		return Outcome{Left: left(f)}, err
	}
	start, err := r.awaitStart(ctx)
	if err != nil {
		r.cancel()
		r.teardown()
		return Outcome{Left: left(f)}, err
	}
	restore := wait.SpareProcessors(r.cfg.Senders)
	r.begin(start)
	interrupted := r.supervise(ctx)
	r.finish()
	restore()
	outcome := r.outcome(interrupted)
	if hooks.Settled != nil {
		hooks.Settled(r.mine)
	}
	r.teardown()
	outcome.Events, outcome.Left = r.events(), left(f)
	return outcome, outcome.check()
}

// run is one run of the engine.
type run struct {
	cfg        Config
	id         uint32
	body       content.Body
	deal       *schedule.Deal // of keys; nil: messages have none
	recorder   Recorder
	acks       AckRecorder     // the recorder, if it takes acknowledgements; else nil
	troubles   TroubleRecorder // the recorder, if it takes what went wrong; else nil
	parts      []schedule.Part // of the schedule, of each connection
	conns      []*conn
	members    []*member        // by group; none if each connection consumes its own messages
	reached    atomic.Uint64    // the groups that have the current probe
	probing    atomic.Uint32    // the connection that sends it
	deliveries DeliveryRecorder // the recorder, if it takes deliveries; else nil
	// The recorder, if it takes when messages are published, and the requesters tell; else nil.
	publishes PublishRecorder
	dues      []dues // of each connection
	senders   []*sender
	failures  notes.Failures
	buffers   *buffers
	hooks     Hooks
	probe     chan error

	kept uint64 // ops that a connection may keep for longer than twice the timeout

	log notes.Log // of the engine itself

	ctx    context.Context // for Request: it outlives the caller's, until finish
	cancel context.CancelFunc

	epoch      time.Time    // when the run was made
	lead       atomic.Int64 // from epoch to start; 0 until begin: a stray may come before
	start      time.Time
	echoStart  int64         // what the echo's clock showed then
	ended      time.Duration // when it was over
	dueTill    time.Duration // ops due until then count
	until      atomic.Int64  // senders stop before an op due after this offset; stopped at the end
	sending    sync.WaitGroup
	sendersCPU atomic.Int64  // of those that have returned
	walked     chan struct{} // closed when all senders have returned
}

func newRun(ctx context.Context, cfg Config, rec Recorder) *run {
	parts := cfg.Parts()
	cfg.Connections = len(parts) // from here on those of this process
	r := &run{
		epoch: time.Now(), cfg: cfg, parts: parts, id: rand.Uint32(), body: content.New(cfg.content()), deal: cfg.Keys.Deal(cfg.Schedule.Seed), recorder: rec, //nolint:gosec // not a secret
		probe: make(chan error, 1), walked: make(chan struct{}), buffers: newBuffers(cfg.Size, cfg.Connections),
		kept: uint64(max(keptAtMost/cfg.Connections, 64)),
	}
	for _, part := range parts {
		r.dues = append(r.dues, dues{counter: cfg.Schedule.Counter(part), sections: make([]int64, len(cfg.Sections))})
	}
	r.acks, _ = rec.(AckRecorder)
	r.troubles, _ = rec.(TroubleRecorder)
	r.deliveries, _ = rec.(DeliveryRecorder)
	r.ctx, r.cancel = context.WithCancel(context.WithoutCancel(ctx))
	return r
}

// now returns the offset from the start of the schedule.
func (r *run) now() time.Duration { return time.Since(r.epoch) - time.Duration(r.lead.Load()) }

// lead is how long before the first op is due the senders start: threads are made, waiters
// calibrated.
const lead = 20 * time.Millisecond

// awaitStart waits until the schedule is about to begin, and returns when it does.
func (r *run) awaitStart(ctx context.Context) (time.Time, error) {
	if r.hooks.Ready == nil {
		return time.Time{}, nil
	}
	start, err := r.hooks.Ready(ctx)
	if err != nil || start.IsZero() {
		return start, err
	}
	select {
	case <-ctx.Done():
		return start, context.Cause(ctx)
	case <-time.After(time.Until(start) - lead):
		return start, nil
	}
}

// begin starts the senders, a moment before the first op is due: at start, or soon if
// it is zero.
func (r *run) begin(start time.Time) {
	for i := range r.cfg.Senders {
		var own []*conn
		for c := i; c < len(r.conns); c += r.cfg.Senders {
			own = append(own, r.conns[c])
		}
		r.senders = append(r.senders, &sender{run: r, merge: newMerge(own)})
	}
	if r.hooks.Acks != nil && slices.ContainsFunc(r.conns, func(c *conn) bool { return c.traits.Acknowledges }) {
		r.hooks.Acks() // it may make room: that is not what the lead is for
	}
	r.askPublishes()
	if r.start = start; start.IsZero() {
		r.start = time.Now().Add(lead)
	}
	r.lead.Store(int64(r.start.Sub(r.epoch)))
	r.until.Store(int64(r.cfg.Schedule.Duration))
	if e := r.cfg.Echo; e != nil && e.Clock != nil {
		r.echoStart = e.Clock(r.start)
	}
	if r.hooks.Started != nil {
		r.hooks.Started(r.start)
	}
	for _, s := range r.senders {
		r.sending.Go(s.walk)
	}
	go func() {
		r.sending.Wait()
		close(r.walked)
	}()
}

// sinceEcho returns when the echo had a message that it has stamped, 0 if that is not known.
func (r *run) sinceEcho(at int64) time.Duration {
	if r.echoStart == 0 {
		return 0
	}
	return time.Duration(at - r.echoStart)
}

// mine finds the connection and the sequence of a message.
func (r *run) mine(payload []byte) (conn int, seq uint64, ok bool) {
	stamp, ok := requester.ReadStamp(payload)
	conn = r.numbered(stamp.Conn)
	if !ok || stamp.Run != r.id || stamp.Seq == requester.ProbeSeq || conn < 0 || !r.body.Matches(payload, stamp) {
		return 0, 0, false
	}
	return conn, stamp.Seq, true
}

// numbered returns which of this process's connections has a number of the whole
// schedule, -1 if none.
func (r *run) numbered(id uint32) int {
	behind, step := int(id)-r.cfg.Part.Index, max(r.cfg.Part.Of, 1)
	if behind < 0 || behind%step != 0 || behind/step >= len(r.conns) {
		return -1
	}
	return behind / step
}

// outcome adds up what the connections counted.
func (r *run) outcome(interrupted bool) Outcome {
	o := Outcome{Start: r.start, Elapsed: r.ended, DueTill: r.dueTill, Failures: r.failures.List(), Interrupted: interrupted}
	var held waits
	window, sections := Account{}, make([]Account, len(r.cfg.Sections))
	for _, c := range r.conns {
		window.Add(c.window)
		for i, s := range c.sections {
			sections[i].Add(s)
		}
		held.add(c.waits)
		o.Sizes = AddSizes(o.Sizes, c.sizes)
		o.Warmup.Add(c.warmup)
		o.Strays.Add(c.strays)
		o.Acks = o.Acks || c.traits.Acknowledges
	}
	o.Window, o.AckLedger, o.FirstDone, o.LastDone, o.Sections = window.Ledger, window.AckLedger, window.FirstDone, window.LastDone, sections
	o.HeldByOthers = held.share()
	r.tallyGroups(&o)
	select {
	case <-r.walked:
		o.SendersCPU = time.Duration(r.sendersCPU.Load())
	default:
	}
	return o
}

func (o Outcome) check() error {
	if err := o.Window.Check(); err != nil {
		return err
	}
	if err := o.checkSizes(); err != nil {
		return err
	}
	if err := o.Warmup.Check(); err != nil {
		return fmt.Errorf("warm-up: %w", err)
	}
	for i, s := range o.Sections {
		err := s.Check()
		if err == nil && o.Acks {
			err = s.AckLedger.check(s.Ledger)
		}
		if err != nil {
			return fmt.Errorf("section %d: %w", i+1, err)
		}
	}
	if err := CheckGroups(o.Groups, o.Window); err != nil {
		return err
	}
	if o.Acks {
		return o.AckLedger.check(o.Window)
	}
	return nil
}

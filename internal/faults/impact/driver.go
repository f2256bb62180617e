package impact

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/internal/record"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/results"
)

// healLimit bounds how long repairs may take: brokers are started again.
const healLimit = 5 * time.Minute

// lastWords is how long Heal waits for an injector that was told to give up: only the injector
// can report the faults that it made. A consumer that joins or leaves has as long.
const lastWords = time.Second

// An Injector makes the faults of a plan happen while a cell is measured, and repairs them.
type Injector interface {
	// Ready is called when everything is set up, before the schedule begins, unless agents measure. It returns when nodes are ready
	// for faults, or ctx is done.
	Ready(ctx context.Context)
	// Begin is called when the schedule begins, with the moment of the first due and the
	// length of the warm-up, after which the times of faults begin. It returns at once.
	Begin(f requester.Factory, start time.Time, warmup time.Duration)
	// Heal repairs what is still broken. It returns when that is done, or half a second after ctx
	// is, whatever is still under way. It is called once, after the last message and
	// before the audit. It returns what happened, in the order of the plan, without Impact.
	Heal(ctx context.Context) []results.Fault
}

// Options say how a driver makes faults happen.
type Options struct {
	Injector Injector            // nil: only consumers can be paused
	GiveUp   <-chan struct{}     // ends repairs soon once it is closed; nil: never
	Redact   func(string) string // removes secrets; nil: nothing is secret
	Part     bool                // of an agent: another process assesses what the faults did
}

// A Driver drives the faults of one cell.
type Driver struct {
	*recorder

	o         Options
	consumers consumers
	roster    *roster // nil: no members of groups come or go
	begun     bool
	injected  []results.Fault // what the injector did

	parts   int            // that were added
	lost    *record.Bitmap // of their acknowledged messages
	unknown bool           // a part does not know which messages were lost
}

// New returns the driver of a cell, which has faults.
func New(cell plan.Cell, o Options) *Driver {
	if o.Redact == nil {
		o.Redact = func(text string) string { return text }
	}
	return &Driver{recorder: newRecorder(cell, o.Part), o: o, consumers: consumers{over: make(chan struct{})}, roster: newRoster(cell.Settings.Faults, cell.Shape.Topology.Members)}
}

// Recorder returns what is given every message.
func (d *Driver) Recorder() load.Recorder { return d.recorder }

// Wrap returns a factory whose consumers can be paused, or come and go, if the plan asks for that.
func (d *Driver) Wrap(f requester.Factory) requester.Factory {
	if g, ok := requester.As[requester.Grouper](f); ok && d.roster != nil {
		d.roster.Grouper = g
		return d.roster
	}
	if len(d.pauses) == 0 {
		return f
	}
	d.consumers.here = true
	return gated{f, &d.consumers.gate}
}

// Ready is called when everything is set up, before the schedule begins. It returns when nodes are ready for faults, or ctx is done.
func (d *Driver) Ready(ctx context.Context) {
	if d.o.Injector != nil {
		d.o.Injector.Ready(ctx)
	}
}

// Begin is called when the schedule begins. It returns at once.
func (d *Driver) Begin(f requester.Factory, start time.Time) {
	d.begun = true
	warmup := d.cell.Settings.Warmup
	for _, p := range d.pauses {
		if d.consumers.here {
			d.consumers.ended.Go(func() { d.consumers.pause(p, start, warmup) })
		}
	}
	if d.roster != nil {
		d.roster.begin(start, warmup)
	}
	if d.o.Injector != nil {
		d.o.Injector.Begin(f, start, warmup)
	}
}

// Ended lets all consumers go on. It is called when the last message is recorded.
func (d *Driver) Ended() {
	if d.roster != nil {
		d.roster.end()
	}
	close(d.consumers.over)
	d.consumers.ended.Wait()
}

// Heal repairs what is broken. It is called before the audit.
func (d *Driver) Heal() {
	if d.o.Injector == nil || !d.begun {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), healLimit)
	defer cancel()
	healed := make(chan []results.Fault, 1)
	go func() { healed <- d.o.Injector.Heal(ctx) }()
	select {
	case d.injected = <-healed:
		return
	case <-d.o.GiveUp:
		cancel()
	}
	select {
	case d.injected = <-healed:
	case <-time.After(lastWords): // it is left behind
	}
}

// Assess writes the faults and their impact into the result of a cell. It is called after the last
// message was recorded. Lost are the acknowledged messages that the audit did not find; nil if that is
// unknown.
func (d *Driver) Assess(c *results.Cell, out load.Outcome, lost *record.Bitmap) {
	c.Faults = d.list()
	d.assess(c.Faults, out, lost)
}

// list returns what happened, in the order of the plan.
func (d *Driver) list() (list []results.Fault) {
	unknown := "nothing made it happen"
	if d.o.Injector != nil {
		unknown = "its outcome is unknown, as the repairs did not end"
	}
	paused, moved := 0, 0
	injected := slices.DeleteFunc(d.injected, func(f results.Fault) bool { return f.Plan.OfConsumers() })
	for _, p := range d.cell.Settings.Faults {
		switch {
		case p.OfMember():
			list = append(list, d.roster.moves[moved].Fault)
			moved++
		case p.Do == plan.ConsumerPause:
			list = append(list, d.pauses[paused].Fault)
			paused++
		case len(injected) > 0:
			list, injected = append(list, injected[0]), injected[1:]
		default:
			list = append(list, results.Fault{Plan: p, Error: unknown})
		}
	}
	for i := range list {
		list[i].Plan, list[i].Error = list[i].Plan.Redacted(d.o.Redact), d.o.Redact(list[i].Error)
	}
	return list
}

// Save writes what the faults did to a part of a cell into its folder.
func (d *Driver) Save(folder *results.CellFolder, lost *record.Bitmap) error {
	packed, err := d.snapshot(lost).pack()
	if err != nil {
		return err
	}
	return folder.SaveImpact(packed)
}

// AddPart adds what Save wrote for part i of so many; packed is nil for a part that was lost.
func (d *Driver) AddPart(packed []byte, name string, i, of int) error {
	if packed == nil { // its acknowledgements are unknown
		d.unknown = true
		return nil
	}
	s, err := d.unpack(packed, i, of)
	if err == nil {
		err = d.add(s, i, of)
	}
	if d.lost == nil {
		d.lost = record.NewBitmap(d.connections)
	}
	if err == nil && s.Audited {
		err = d.lost.Merge(s.Lost, i, of)
	}
	if err != nil {
		return fmt.Errorf("agent %s: %w", name, err)
	}
	d.unknown = d.unknown || !s.Audited
	for n, p := range d.pauses[:min(len(d.pauses), len(s.Pauses))] {
		if d.parts == 0 {
			p.Fault.Error = ""
		}
		p.add(s.Pauses[n], name)
	}
	d.parts++
	return nil
}

// AssessParts is [Driver.Assess] for the parts that were added.
func (d *Driver) AssessParts(c *results.Cell, out load.Outcome) {
	d.deliveries.merge()
	d.acks.merge()
	if d.unknown {
		d.lost = nil
	}
	d.Assess(c, out, d.lost)
}

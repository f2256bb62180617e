package measure

import (
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
	"github.com/brokerbench/brokerbench/results"
)

// An Attendant does what one process does for all agents while they measure a cell: it breaks
// what the plan's faults say, on the clock that they share, mends it before they audit, and
// watches the nodes of the target. [Runner.Agents] is given one. For each attempt Prepare is
// called first, then Begin, Heal and End, by one goroutine, but that Begin and Heal may be left
// out, and that Heal may be called from another one, of which End waits.
type Attendant struct {
	cell    plan.Cell
	folder  *results.CellFolder
	nodes   Nodes // nil: they are not known
	breaker func() (Breaker, error)
	open    func(run string) (requester.Factory, error)
	redact  func(string) string
	giveUp  <-chan struct{}

	faults  *faults           // of the attempt under way; nil: the cell has none
	factory requester.Factory // for the breaker's questions
	lookout *lookout          // nil: nobody watches
	healed  bool
}

// attendant returns that of a cell.
func (r Runner) attendant(cell plan.Cell, folder *results.CellFolder, nodes Nodes) *Attendant {
	a := &Attendant{cell: cell, folder: folder, nodes: nodes, redact: r.redact, giveUp: r.GiveUp}
	if r.Breaker != nil && len(cell.Settings.Faults) > 0 {
		a.breaker = func() (Breaker, error) { return r.Breaker(cell) }
		a.open = func(run string) (requester.Factory, error) { return r.Open(cell.Target, run) }
	}
	return a
}

// Prepare is called before an attempt: run is in the names that its first agent uses on the
// target, which is asked for who leads there.
func (a *Attendant) Prepare(run string) (err error) {
	a.faults, a.lookout, a.healed = nil, nil, false
	if len(a.cell.Settings.Faults) == 0 {
		return nil
	}
	a.faults = &faults{planned: a.cell.Settings.Faults, giveUp: a.giveUp, redact: a.redact}
	if a.breaker == nil {
		return nil
	}
	if a.faults.breaker, err = a.breaker(); err != nil {
		return err
	}
	a.factory, err = a.open(run)
	return err
}

// Begin is called once it is known when the first message is due. It returns at once.
func (a *Attendant) Begin(start time.Time) (err error) {
	if a.nodes != nil {
		if a.lookout, err = newLookout(a.nodes, a.folder, a.cell, start); err != nil {
			return err
		}
	}
	if f := a.faults; f != nil && f.breaker != nil {
		f.begun = true
		f.breaker.Begin(a.factory, start, a.cell.Settings.Warmup)
	}
	return nil
}

// Heal is called when no agent sends or awaits anything any more, and returns when what was
// broken is mended.
func (a *Attendant) Heal() {
	if a.lookout != nil {
		a.lookout.stop()
	}
	if !a.healed {
		a.healed = true
		a.faults.heal()
	}
}

// End ends an attempt, and mends what Heal has not. measured says that its results are the
// cell's.
func (a *Attendant) End(measured bool) error {
	a.Heal()
	if a.lookout == nil {
		return nil
	}
	if !measured {
		_ = a.lookout.close(false) // nothing of it is kept
		a.lookout = nil
		return nil
	}
	return a.lookout.close(true)
}

// assess says what became of the messages of all parts after each fault; nil of a cell without
// faults.
func (a *Attendant) assess(cell plan.Cell, parts []Part, out load.Outcome) ([]results.Fault, error) {
	h := newHarm(cell, nil)
	if h == nil {
		return nil, nil
	}
	f := a.made(cell)
	lost, err := h.addParts(f, parts)
	if err != nil {
		return nil, err
	}
	list := f.list()
	h.assess(list, out, lost)
	return list, nil
}

// made returns the faults that were made; of a nil attendant none was.
func (a *Attendant) made(cell plan.Cell) *faults {
	if a == nil || a.faults == nil {
		return &faults{planned: cell.Settings.Faults, redact: func(text string) string { return text }}
	}
	return a.faults
}

// describe writes what the nodes did into the cell, and what a message cost.
func (a *Attendant) describe(c *results.Cell) {
	if a == nil || a.lookout == nil {
		return
	}
	a.lookout.describe(c, coresOf(c.Agents))
}

// coresOf returns what the processes of all agents used together; nil if it is not known of one.
func coresOf(agents []results.Agent) *float64 {
	sum := 0.0
	for _, a := range agents {
		if a.Usage == nil {
			return nil
		}
		sum += a.Usage.Process.CPUCores
	}
	return &sum
}

// addParts adds what the parts know of the messages, and what kept their consumers from
// reading. lost are the messages that were acknowledged and are not there; nil unless every part
// was looked for.
func (h *harm) addParts(f *faults, parts []Part) (lost *promised, err error) {
	lost = newPromised(h.connections)
	var fell [][]fallTape // of each fault that keeps consumers from reading, by part
	var names []string
	for i, p := range parts {
		if p.Cell == nil {
			lost = nil // nobody knows what was acknowledged to it
			continue
		}
		t, err := unpackHarm(p.Harm)
		if err == nil {
			err = h.add(t, i, len(parts))
		}
		if err == nil && lost != nil && t.Looked {
			err = lost.add(t.Lost, i, len(parts))
		}
		if err != nil {
			return nil, fmt.Errorf("agent %s: %w", p.Name, err)
		}
		if !t.Looked {
			lost = nil
		}
		names = append(names, p.Name)
		for n, one := range t.Falls {
			if n == len(fell) {
				fell = append(fell, nil)
			}
			fell[n] = append(fell[n], one)
		}
	}
	h.deliveries.common()
	h.acks.common()
	f.fell(fell, names)
	return lost, nil
}

// fell notes what kept the consumers of the parts of those names from reading.
func (f *faults) fell(fell [][]fallTape, names []string) {
	f.falls = &falls{}
	for _, one := range f.planned {
		if one.Do == plan.Fall {
			f.falls.list = append(f.falls.list, &results.Fault{Plan: one, Error: "the run ended before"})
		}
	}
	for n, list := range fell {
		if n < len(f.falls.list) {
			f.falls.list[n] = allOf(*f.falls.list[n], list, names)
		}
	}
}

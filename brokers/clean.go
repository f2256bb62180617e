package brokers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/leftover"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
)

// A Cleaning says what [Target.Clean] removes.
type Cleaning struct {
	Run        string        // only of this run, which is over; "" is every run that is over
	Age        time.Duration // without Run: a run is over if nothing of it was used for so long
	DryRun     bool          // find, and remove nothing
	Management string        // RabbitMQ's management API; "" is port 15672 of the target's host, with amqps port 15671 and https
}

// Check returns an error if Run is no name that a run or a cell has, or Management is
// no URL that will do. The error does not quote the URL: there may be a secret in it.
func (c Cleaning) Check() error {
	if _, _, ok := leftover.Split(c.Run); c.Run != "" && !ok {
		return fmt.Errorf("only %q: want the name of a run, such as 20261122t015809-907ea3f6, or of a cell of it, such as 20261122t015809-907ea3f6-0", c.Run)
	}
	if err := target.CheckHTTP("management", c.Management); err != nil {
		return fmt.Errorf("%w: those of the target are used", err)
	}
	return nil
}

// A Leftover is something that a run made on a target, and what became of it.
type Leftover struct {
	Kind    string  `json:"kind"` // such as "topic"
	Name    string  `json:"name"`
	Run     string  `json:"run"`
	Outcome Outcome `json:"outcome"`
	Reason  string  `json:"reason,omitempty"` // why it is kept or could not be removed
}

// An Outcome is what became of a [Leftover].
type Outcome string

// The outcomes.
const (
	Removed     Outcome = "removed"
	WouldRemove Outcome = "would be removed" // without DryRun
	Kept        Outcome = "kept"             // its run may live
	Failed      Outcome = "failed"
)

// Clean removes what runs made on the target and left there, but nothing of a run
// that may live. It returns what it found, sorted by name, and in unseen what it
// could not look for; "" if nothing. A Cleaning that Check refuses is an error. What
// has no name that begins with brokerbench is never touched.
func (t Target) Clean(ctx context.Context, c Cleaning) (found []Leftover, unseen string, err error) {
	if err := c.Check(); err != nil {
		return nil, "", err
	}
	f, err := t.Open("clean")
	if err != nil {
		return nil, "", err
	}
	s, ok := requester.As[requester.Sweeper](f)
	if !ok {
		return nil, "", nil
	}
	query := requester.LeftoverQuery{Run: c.Run, Management: c.Management}
	things, unseen, err := s.Find(ctx, query)
	unseen = Redact(unseen)
	if err != nil {
		return nil, unseen, err
	}
	slices.SortFunc(things, func(a, b requester.Leftover) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Kind, b.Kind))
	})
	keep := leftover.Keep(things, query, c.Age, time.Now())
	var over []requester.Leftover
	for i, thing := range things {
		l := Leftover{Kind: thing.Kind, Name: thing.Name, Run: leftover.Run(thing.Name), Outcome: WouldRemove, Reason: keep[i]}
		if l.Reason != "" {
			l.Outcome = Kept
		} else {
			over = append(over, thing)
		}
		found = append(found, l)
	}
	if c.DryRun || len(over) == 0 {
		return found, unseen, nil
	}
	removed(found, s.Remove(ctx, over))
	return found, unseen, nil
}

// removed notes the outcome of each thing that was to be removed.
func removed(found []Leftover, errs []error) {
	for i := range found {
		l := &found[i]
		if l.Outcome != WouldRemove {
			continue
		}
		switch err := errs[0]; {
		case err == nil:
			l.Outcome = Removed
		case errors.Is(err, requester.ErrInUse):
			l.Outcome, l.Reason = Kept, requester.ErrInUse.Error()
		default:
			l.Outcome, l.Reason = Failed, Redact(err.Error())
		}
		errs = errs[1:]
	}
}

// Leaves reports whether anything of a run may outlive its connections on a broker
// of this kind.
func (t Target) Leaves() bool {
	f, err := t.Open("clean")
	_, ok := requester.As[requester.Sweeper](f)
	return err == nil && ok
}

package plan

import (
	"errors"
	"fmt"
	"slices"

	"github.com/brokerbench/brokerbench/plan/schedule"
)

// MinSize is the size of the smallest message in bytes: that of the stamp that
// identifies it (requester.StampSize).
const MinSize = 16

// minEchoed is the size of the smallest message that an echo sends back: it stamps eight bytes
// at its end (requester.EchoSize).
const minEchoed = MinSize + 8

// Limits of a shape: a value beyond them is a mistake, not an experiment.
const (
	maxSize        = 1 << 30
	maxConnections = 1 << 20
)

// Validate returns every mistake in the plan at once.
func (p Plan) Validate() error {
	errs := []error{
		wrong(len(p.Targets) == 0, "the plan has no targets"),
		wrong(len(p.Shapes) == 0, "the plan has nothing to measure: no matrix and no cells"),
	}
	files := make(map[string]string) // names of targets by those of their files
	for _, t := range p.Targets {
		other, twice := files[FileName(t.Name)]
		errs = append(errs, wrong(twice && other == t.Name, "two targets are named %q", t.Name),
			wrong(twice && other != t.Name, "the targets %q and %q have the same file names", other, t.Name))
		files[FileName(t.Name)] = t.Name
	}
	shapes, ids := make(map[Shape]bool), make(map[string]bool)
	for _, s := range p.Shapes {
		errs = append(errs, wrong(shapes[s], "%v is there twice; use repeat", s), s.Validate(), p.checkTopology(s), p.checkMessage(s), p.checkBacklog(s), p.checkUsers(s))
		errs = append(errs, wrong(!shapes[s] && ids[s.ID()], "%v has the same folder as another combination, %s: measure it in another run", s, s.ID()))
		shapes[s], ids[s.ID()] = true, true
		errs = append(errs, CheckChanges(s, p.Settings))
		errs = append(errs, wrong(s.Changes != "" && s.Sizes != "", "several sizes and a rate that changes cannot be combined yet: name one size"))
		errs = append(errs, wrong(p.Settings.Echo != "" && s.Smallest() < minEchoed, "size %d B is below the %d B that stamp and echo need", s.Smallest(), minEchoed))
	}
	return errors.Join(append(errs, p.Settings.Validate())...)
}

// Validate returns every mistake in the shape at once.
func (s Shape) Validate() error {
	return errors.Join(
		s.validateSize(),
		wrong(s.Connections < 1 || s.Connections > maxConnections,
			"connections %d is not between 1 and %d", s.Connections, maxConnections),
		wrong(s.InFlight < 0, "in-flight %d is negative; open is 0", s.InFlight),
		s.Topology.validate(),
		s.Headers.validate(),
		s.Keys.Validate(),
		s.Payload.Validate(),
		s.checkChanges(),
		schedule.Spec{Rate: s.Rate, Arrivals: s.Arrivals, Duration: 1}.Validate(),
	)
}

// Validate returns every mistake in the settings at once.
func (s Settings) Validate() error {
	errs := []error{
		wrong(s.Duration <= 0, "duration %v is not positive", s.Duration),
		wrong(s.Warmup < 0, "warm-up %v is negative", s.Warmup),
		wrong(s.Timeout <= 0, "timeout %v is not positive", s.Timeout),
		wrong(s.Senders < 0, "senders %d is negative", s.Senders),
	}
	errs = append(errs, wrong(s.Echo != "" && s.Echo != EchoProcess && s.Echo != EchoAgent, "echo %q is none of process and agent", s.Echo),
		wrong(s.Echo != "" && len(s.Faults) > 0, "faults and echo cannot be combined yet: the effect of an outage on the echo is not known"))
	for _, p := range s.Percentiles {
		errs = append(errs, wrong(!slices.Contains(KnownPercentiles(), p), "percentile %v is none of %v", p, KnownPercentiles()))
	}
	for _, f := range s.Faults {
		if err := f.Validate(s.Duration); err != nil {
			errs = append(errs, fmt.Errorf("fault %v: %w", f, err))
		}
	}
	return errors.Join(errs...)
}

// wrong returns an error if something is.
func wrong(something bool, format string, args ...any) error {
	if !something {
		return nil
	}
	return fmt.Errorf(format, args...)
}

package plan

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// MinSize is the size of the smallest message in bytes: that of the stamp that
// identifies it (requester.StampSize).
const MinSize = 16

// Limits of a shape: a value beyond them is a mistake, not an experiment.
const (
	maxSize        = 1 << 30
	maxConnections = 1 << 20
)

// Validate returns every mistake in the plan at once.
func (p Plan) Validate() error {
	var errs []error
	if len(p.Targets) == 0 {
		errs = append(errs, errors.New("the plan has no targets"))
	}
	if len(p.Shapes) == 0 {
		errs = append(errs, errors.New("the plan has nothing to measure: no matrix and no cells"))
	}
	names := make(map[string]bool)
	for _, t := range p.Targets {
		if names[t.Name] {
			errs = append(errs, fmt.Errorf("two targets are named %q", t.Name))
		}
		names[t.Name] = true
	}
	shapes := make(map[Shape]bool)
	for _, s := range p.Shapes {
		if shapes[s] {
			errs = append(errs, fmt.Errorf("%v is there twice; use repeat", s))
		}
		shapes[s] = true
		errs = append(errs, s.Validate())
	}
	return errors.Join(append(errs, p.Settings.Validate())...)
}

// Validate returns every mistake in the shape at once.
func (s Shape) Validate() error {
	var errs []error
	if s.Size < MinSize {
		errs = append(errs, fmt.Errorf("size %d B is below the %d B a stamp needs", s.Size, MinSize))
	}
	if s.Size > maxSize {
		errs = append(errs, fmt.Errorf("size %d B is above %d B", s.Size, maxSize))
	}
	if s.Connections < 1 || s.Connections > maxConnections {
		errs = append(errs, fmt.Errorf("connections %d is not between 1 and %d", s.Connections, maxConnections))
	}
	if s.InFlight < 0 {
		errs = append(errs, fmt.Errorf("in-flight %d is negative; open is 0", s.InFlight))
	}
	if err := (Cell{Shape: s, Settings: Settings{Duration: 1}}).Schedule().Validate(); err != nil {
		errs = append(errs, errors.New(strings.TrimPrefix(err.Error(), "schedule: ")))
	}
	return errors.Join(errs...)
}

// Validate returns every mistake in the settings at once.
func (s Settings) Validate() error {
	var errs []error
	if s.Duration <= 0 {
		errs = append(errs, fmt.Errorf("duration %v is not positive", s.Duration))
	}
	if s.Warmup < 0 {
		errs = append(errs, fmt.Errorf("warm-up %v is negative", s.Warmup))
	}
	if s.Timeout <= 0 {
		errs = append(errs, fmt.Errorf("timeout %v is not positive", s.Timeout))
	}
	if s.Senders < 0 {
		errs = append(errs, fmt.Errorf("senders %d is negative", s.Senders))
	}
	for _, p := range s.Percentiles {
		if !slices.Contains(KnownPercentiles(), p) {
			errs = append(errs, fmt.Errorf("percentile %v is none of %v", p, KnownPercentiles()))
		}
	}
	return errors.Join(errs...)
}

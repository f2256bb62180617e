package measure

import (
	"context"
	"time"

	"github.com/brokerbench/brokerbench/internal/causes/leader"
	"github.com/brokerbench/brokerbench/internal/leaf/cause"
	"github.com/brokerbench/brokerbench/internal/record"
)

// sampling keeps the worst messages of a cell, and the samples of possible causes. The zero value does nothing.
type sampling struct {
	causes  Causes
	worst   *record.Worst
	leaders *leader.Watch
	sampled *cause.Samples // after end
}

func newSampling(s *session) sampling {
	if s.o.Causes == nil {
		return sampling{}
	}
	return sampling{causes: s.o.Causes, worst: record.NewWorst(record.WindowOf(s.cell.Settings)), leaders: leader.New(s.factory)}
}

// prepared returns the hook for when everything is set up.
func (s *session) prepared(ready func(context.Context) (time.Time, error)) func(context.Context) (time.Time, error) {
	if s.causes == nil {
		return ready
	}
	return func(ctx context.Context) (time.Time, error) {
		s.causes.Prepare(s.cell.Settings.Warmup + s.cell.Settings.Duration)
		if ready == nil {
			return time.Time{}, nil
		}
		return ready(ctx)
	}
}

func (s *sampling) begin(start time.Time) {
	if s.causes != nil {
		s.causes.Begin(start)
		s.leaders.Begin(start)
	}
}

func (s *sampling) tick() {
	if s.causes != nil {
		s.causes.Tick()
	}
}

// end ends the sampling. Later calls do nothing.
func (s *sampling) end() {
	if s.causes == nil || s.sampled != nil {
		return
	}
	s.sampled = new(cause.Samples)
	s.causes.End(s.sampled)
	s.leaders.End(s.sampled)
	s.worst.Describe(s.sampled)
}

// saveCauses writes the samples, if there are any.
func (s *session) saveCauses() error {
	if s.sampled == nil {
		return nil
	}
	return cause.Save(s.o.Folder.Dir(), s.sampled)
}

package cli

import (
	"context"

	"github.com/brokerbench/brokerbench/cmd/internal/child"
	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester/loopback"
	"github.com/brokerbench/brokerbench/results"
)

// floors measures shapes without a broker, against an echo in a child process,
// which runs from the first floor until stop.
type floors struct {
	talk *progress
	echo *child.TCP
}

func (f *floors) measure(ctx context.Context, cell plan.Cell) (*results.Floor, error) {
	if f.echo == nil {
		echo, err := child.StartTCP(loopback.Config{})
		if err != nil {
			return nil, err
		}
		f.echo = echo
	}
	f.talk.floor(cell.Shape)
	return measure.Floor(ctx, cell, f.echo)
}

// stop ends the echo.
func (f *floors) stop() error {
	if f.echo == nil {
		return nil
	}
	return f.echo.Stop()
}

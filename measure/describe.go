package measure

import (
	"context"
	"fmt"
	"time"

	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/results"
)

// describeTimeout bounds how long a target may take to describe itself.
const describeTimeout = 15 * time.Second

// Describe asks a target what it is, if it can describe itself.
func Describe(ctx context.Context, f requester.Factory) (results.Broker, error) {
	d, ok := requester.As[requester.Describer](f)
	if !ok {
		return results.Broker{Product: fmt.Sprintf("%T", f)}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, describeTimeout)
	defer cancel()
	described, err := d.Describe(ctx)
	if err != nil {
		return results.Broker{}, err
	}
	return results.Broker{
		Product: described.Product, Version: described.Version, Client: described.Client,
		Settings: settings(described.Settings), Timers: settings(described.Timers), Durability: described.Durability,
	}, nil
}

// measuredBy asks a target what its client made of the messages, if it measures that.
func measuredBy(f requester.Factory) []results.Setting {
	m, ok := requester.As[requester.Measurer](f)
	if !ok {
		return nil
	}
	return settings(m.Measured())
}

func settings(list []requester.Setting) (kept []results.Setting) {
	for _, s := range list {
		kept = append(kept, results.Setting{Name: s.Name, Value: s.Value})
	}
	return kept
}

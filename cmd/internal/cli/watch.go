package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/pflag"

	"github.com/brokerbench/brokerbench/cmd/internal/metrics"
	"github.com/brokerbench/brokerbench/internal/suggest"
)

// watchFlags are the flags for progress. They do not change what is measured.
type watchFlags struct {
	progress   string
	quiet      bool
	prometheus string // the address; "" is nowhere
}

func (w *watchFlags) define(f *pflag.FlagSet) {
	f.StringVar(&w.progress, "progress", "auto", "progress on standard error: auto (a block on a terminal, else lines), json (an object a second), off")
	f.BoolVarP(&w.quiet, "quiet", "q", false, "no progress: --progress=off")
	f.StringVar(&w.prometheus, "prometheus", "", "serve /metrics while it runs, such as 127.0.0.1:9464: for watching, not for the record")
}

// check reports values that do not exist or contradict each other, and resolves
// --quiet.
func (w *watchFlags) check() error {
	modes := []string{"auto", "json", "off"}
	switch {
	case !slices.Contains(modes, w.progress):
		return usage(fmt.Errorf("--progress %q: want auto, json or off%s", w.progress, suggest.Hint(w.progress, modes)))
	case w.quiet && w.progress == "json":
		return usage(errors.New("--quiet and --progress json: want one of them"))
	case w.quiet:
		w.progress = "off"
	}
	if w.prometheus == "" {
		return nil
	}
	if err := metrics.CheckAddress(w.prometheus); err != nil {
		return usage(fmt.Errorf("--prometheus: %w", err))
	}
	return nil
}

// serve serves the progress to Prometheus until stop, if --prometheus is given.
func (w *watchFlags) serve(p *progress) (stop func() error, err error) {
	if w.prometheus == "" {
		return func() error { return nil }, nil
	}
	server, err := metrics.Listen(w.prometheus)
	if err != nil {
		return nil, fmt.Errorf("--prometheus: %w", err)
	}
	if !p.quiet {
		fmt.Fprintf(p.w, "for watching, not for the record: http://%s/metrics\n", server.Address())
	}
	p.metrics = server.Watch
	ctx, cancel := context.WithCancel(context.Background()) // not the run's: an interrupted cell is still served
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ctx) }()
	return func() error { cancel(); return <-ended }, nil
}

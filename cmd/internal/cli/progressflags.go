package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/cmd/internal/metrics"
)

// progressFlags are the flags for how progress is shown. None of them changes what
// is measured.
type progressFlags struct {
	mode       string
	quiet      bool
	prometheus string // the address; "" is nowhere
}

func (p *progressFlags) define(f *pflag.FlagSet) {
	p.mode = "auto"
	f.Var(command.NewChoice(&p.mode, []string{p.mode, "json", "off"}), "progress",
		"progress on standard error: auto (a block on a terminal, else lines), json (an object a second), off")
	f.BoolVarP(&p.quiet, "quiet", "q", false, "no progress: --progress=off")
	f.StringVar(&p.prometheus, "prometheus", "", "serve /metrics while it runs, such as 127.0.0.1:9464: for watching, not for the record")
}

// check reports values that contradict each other or are no address, and resolves
// --quiet.
func (p *progressFlags) check() error {
	switch {
	case p.quiet && p.mode == "json":
		return command.Usage(errors.New("--quiet and --progress json: want one of them"))
	case p.quiet:
		p.mode = "off"
	}
	if p.prometheus == "" {
		return nil
	}
	if err := metrics.CheckAddress(p.prometheus); err != nil {
		return command.Usage(fmt.Errorf("--prometheus: %w", err))
	}
	return nil
}

// serve serves the progress of a run for Prometheus until stop, if a flag asks for
// it.
func (p *progressFlags) serve(shown *progress) (stop func() error, err error) {
	stop = func() error { return nil }
	if p.prometheus == "" {
		return stop, nil
	}
	server, err := metrics.Listen(p.prometheus)
	if err != nil {
		return stop, fmt.Errorf("--prometheus: %w", err)
	}
	if !shown.quiet {
		fmt.Fprintf(shown.w, "for watching, not for the record: http://%s/metrics\n", server.Address())
	}
	shown.metrics = server.Progress
	ctx, cancel := context.WithCancel(context.Background()) // not the run's: an interrupted cell is still served
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ctx) }()
	return func() error { cancel(); return <-ended }, nil
}

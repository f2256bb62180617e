package cli

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/pflag"

	"github.com/brokerbench/brokerbench/internal/suggest"
)

// watchFlags are the flags that say how a run is watched: nothing of it changes
// what is measured.
type watchFlags struct {
	progress string
	quiet    bool
}

func (w *watchFlags) define(f *pflag.FlagSet) {
	f.StringVar(&w.progress, "progress", "auto", "progress on standard error: auto (a block on a terminal, else lines), json (an object a second), off")
	f.BoolVarP(&w.quiet, "quiet", "q", false, "no progress: --progress=off")
}

// check refuses what makes no sense, and resolves --quiet.
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
	return nil
}

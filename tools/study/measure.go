package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/results"
)

// plans is where those of the study are.
const plans = "deploy/plans/study"

// A bundle is a study that is being made.
type bundle struct {
	program string // brokerbench
	dir     string
	short   bool
}

// measure copies the plans of some parts into the bundle, and runs them. After an error the other
// plans are still run.
func (b bundle) measure(ctx context.Context, parts []string) error {
	if err := os.MkdirAll(filepath.Join(b.dir, "runs"), 0o755); err != nil { //nolint:gosec // it is to be published
		return err
	}
	var errs []error
	for _, part := range parts {
		files, err := filepath.Glob(filepath.Join(plans, strings.TrimSuffix(part, ".yaml")+"*.yaml"))
		if strings.HasSuffix(part, ".yaml") {
			files = slices.DeleteFunc(files, func(file string) bool { return filepath.Base(file) != part })
		}
		if err == nil && len(files) == 0 {
			err = fmt.Errorf("no part %q: %s has no plan that begins so", part, plans)
		}
		errs = append(errs, err)
		for _, file := range files {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			errs = append(errs, b.run(ctx, file))
		}
	}
	return errors.Join(errs...)
}

// run runs a plan, and searches the highest rate on the targets of one whose name ends with search.
func (b bundle) run(ctx context.Context, file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	copied := filepath.Join(b.dir, filepath.Base(file))
	if err := os.WriteFile(copied, text, 0o644); err != nil { //nolint:gosec // it is to be published
		return err
	}
	args := []string{b.program, "run", "--file", copied, "--out", filepath.Join(b.dir, "runs"), "--report", "off", "--progress", "auto"}
	search := strings.HasSuffix(file, "-search.yaml")
	switch {
	case search:
		args[1] = "search"
		args = append(args, "--from", "900", "--at-most", "80s", "--confirm", "5s", "--unseen-pause", "0s", "--precision", "100%")
	case b.short:
		args = append(args, "--repeat", "1")
	}
	if b.short && !strings.Contains(string(text), "\nfaults:") { // which need their time
		args = append(args, "--duration", "1s", "--warmup", "500ms")
	}
	if strings.Contains(string(text), "${BROKERBENCH_") { // brokers that a plan cannot start
		args = append([]string{"deploy/local/with", "--require", "nats", "redis", "--"}, args...)
	}
	began := time.Now()
	c := exec.CommandContext(ctx, args[0], args[1:]...) //nolint:gosec // the program to measure with
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = time.Minute
	err = c.Run()
	fmt.Fprintf(os.Stderr, "study: %s took %v\n", filepath.Base(file), time.Since(began).Round(time.Second))
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() >= 3 && exit.ExitCode() <= 5 {
		err = nil // a verdict, which is in the results
	}
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	store, err := results.Latest(filepath.Join(b.dir, "runs"))
	if err != nil {
		return err
	}
	return compact(store.Dir())
}

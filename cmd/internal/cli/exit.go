package cli

import "errors"

// The exit codes. They are documented in the help of `run`.
const (
	exitGood         = 0
	exitError        = 1   // something failed
	exitUsage        = 2   // a mistake in the command line, the environment or a plan
	exitMissed       = 3   // measured, and an SLO was missed
	exitInvalid      = 4   // measured, but a number is unknown
	exitRegression   = 5   // compared, and a condition of --fail-on was met
	exitInconclusive = 6   // verified, and what should have been measured did not happen
	exitInterrupted  = 130 // Ctrl-C: what was measured is kept and marked
)

// A failure is an error with its exit code.
type failure struct {
	code int
	err  error // nil: there is nothing left to say
}

func (f failure) Error() string {
	if f.err == nil {
		return ""
	}
	return f.err.Error()
}

func (f failure) Unwrap() error { return f.err }

// usage marks an error as a mistake of the user.
func usage(err error) error {
	if err == nil {
		return nil
	}
	return failure{exitUsage, err}
}

// exitCode returns the exit code of an error.
func exitCode(err error) int {
	var f failure
	switch {
	case err == nil:
		return exitGood
	case errors.As(err, &f):
		return f.code
	}
	return exitError
}

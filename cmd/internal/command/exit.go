package command

import "errors"

// The exit codes. They are documented in the help of `run`.
const (
	ExitGood         = 0
	ExitError        = 1   // something failed
	ExitUsage        = 2   // a mistake in the command line, the environment or a plan
	ExitMissed       = 3   // measured, and an SLO was missed
	ExitInvalid      = 4   // measured, but a number is unknown
	ExitRegression   = 5   // compared, and a condition of --fail-on was met
	ExitInconclusive = 6   // verified, and what should have been measured did not happen
	ExitUnread       = 141 // the reader of standard output has left, as head does: what SIGPIPE gives
	ExitInterrupted  = 130 // Ctrl-C: the measured part is kept and marked
)

// A Failure is an error with its exit code.
type Failure struct {
	Code int
	err  error // nil: there is nothing left to say
}

func (f Failure) Error() string {
	if f.err == nil {
		return ""
	}
	return f.err.Error()
}

func (f Failure) Unwrap() error { return f.err }

// Fail returns an error with an exit code. err may be nil: then there is nothing left to say.
func Fail(code int, err error) error { return Failure{code, err} }

// Usage marks an error as a mistake of the user.
func Usage(err error) error {
	if err == nil {
		return nil
	}
	return Failure{ExitUsage, err}
}

// ExitCode returns the exit code of an error.
func ExitCode(err error) int {
	var f Failure
	switch {
	case err == nil:
		return ExitGood
	case errors.Is(err, ErrLeft):
		return ExitUnread
	case errors.As(err, &f):
		return f.Code
	}
	return ExitError
}

package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"

	"github.com/apache/pulsar-client-go/pulsar/log"
)

// refusals has the reason of the last connection that the broker refused. The client only logs it, and tries again.
var refusals = make(chan string, 1)

// logger returns the log of the client. brokerbench shows its last line if the adapter ends.
func logger() log.Logger {
	return log.NewLoggerWithSlog(slog.New(listener{slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})}))
}

// A listener is a log that finds refusals.
type listener struct{ slog.Handler }

func (l listener) Handle(ctx context.Context, r slog.Record) error {
	if reason, ok := strings.CutPrefix(r.Message, "Failed to establish connection with broker: "); ok {
		select {
		case refusals <- reason:
		default:
		}
	}
	return l.Handler.Handle(ctx, r)
}

func (l listener) WithAttrs(attrs []slog.Attr) slog.Handler {
	return listener{l.Handler.WithAttrs(attrs)}
}

// unlessRefused returns the error of connect, or at once that of a connection that the broker refuses meanwhile. connect
// then goes on: the adapter is of no more use.
func (o *options) unlessRefused(connect func() error) error {
	select {
	case <-refusals: // of a connection that came back since
	default:
	}
	done := make(chan error, 1)
	go func() { done <- connect() }()
	select {
	case err := <-done:
		if err != nil && strings.Contains(strings.ToLower(err.Error()), "authoriz") {
			err = fmt.Errorf("%w: the role of %s may not produce and consume in %s: grant it both", err, tokenVariable, o.namespace)
		}
		return err
	case reason := <-refusals:
		return fmt.Errorf("%w: %s: put a token that the broker accepts into %s", errRefused, reason, tokenVariable)
	}
}

// errRefused is the error of a connection that the broker refuses.
var errRefused = errors.New("the broker refuses the connection")

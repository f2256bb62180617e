package rabbitmq

import (
	"errors"
	"regexp"
	"strconv"
	"strings"

	"github.com/brokerbench/brokerbench/brokers/internal/management"
	"github.com/brokerbench/brokerbench/brokers/internal/transport"
	amqp "github.com/rabbitmq/amqp091-go"
)

// A serverError is an [amqp.Error] with only the text that the broker wrote.
type serverError struct{ cause *amqp.Error }

func (e serverError) Error() string { return e.cause.Reason }
func (e serverError) Unwrap() error { return e.cause }

// plain turns an [amqp.Error] into a serverError, and leaves other errors alone.
func plain(err error) error {
	if cause, ok := err.(*amqp.Error); ok { //nolint:errorlint // a wrapped one says more
		return serverError{cause}
	}
	return err
}

// notFound reports whether the broker said that a queue does not exist.
func notFound(err error) bool { return failed(err, amqp.NotFound) }

// failed reports whether an error is that of the broker with a code.
func failed(err error, code int) bool {
	var cause *amqp.Error
	return errors.As(err, &cause) && cause.Code == code
}

// explain returns a [target.Fault] of the target, or nil for a nil err.
func (q *Queues) explain(doing string, err error) error { return q.broker.Explain(doing, err) }

func (q *Queues) remedy(err error) string {
	var cause *amqp.Error
	switch {
	case errors.Is(err, amqp.ErrCredentials):
		return management.CorrectUser
	case errors.As(err, &cause) && cause.Server:
		return q.remedyForCode(cause)
	case errors.Is(err, transport.ErrBlocked):
		return "the broker has raised an alarm: free memory or disk, or raise its limit"
	case errors.Is(err, errForgotten):
		return "set the option " + q.keeping + ", so that the broker keeps messages until they are acknowledged"
	}
	return q.broker.WrongPort(err, errHandshake)
}

// remedyForCode returns the remedy for the broker's reply code.
func (q *Queues) remedyForCode(cause *amqp.Error) string {
	switch cause.Code {
	case amqp.NotAllowed:
		return q.broker.CreateVhost()
	case amqp.AccessRefused:
		return management.Permit + "; or correct user and password"
	case amqp.PreconditionFailed:
		if sizeLimit(cause) > 0 {
			return "send smaller messages, or raise max_message_size in the broker's rabbitmq.conf"
		}
		return "the broker does not accept this combination of options: change queue-type, durable, prefetch or max-length"
	case amqp.ResourceLocked:
		return "another run has this name, or the broker still holds the queue for a lost connection: wait and try again"
	case amqp.NotFound:
		return "another client deleted the queue or the exchange: run again"
	case amqp.CommandInvalid:
		if strings.Contains(cause.Reason, hashed) {
			return "keys need a plugin of the broker: rabbitmq-plugins enable rabbitmq_consistent_hash_exchange"
		}
	case amqp.NotImplemented:
		return "this broker is too old for an option: leave it out"
	case amqp.ConnectionForced:
		return "the broker was stopped, or its operator closed the connection: start it again"
	}
	return ""
}

// tooLarge finds the limit in the broker's error about a message that is too large.
var tooLarge = regexp.MustCompile(`message size \d+ (?:is )?larger than (?:configured )?max size (\d+)`)

// sizeLimit returns the largest message that the broker accepts if it closed the
// channel for a larger one, else 0.
func sizeLimit(cause *amqp.Error) int {
	if cause == nil || cause.Code != amqp.PreconditionFailed {
		return 0
	}
	match := tooLarge.FindStringSubmatch(cause.Reason)
	if match == nil {
		return 0
	}
	limit, _ := strconv.Atoi(match[1])
	return limit
}

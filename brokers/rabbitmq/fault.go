package rabbitmq

import (
	"crypto/tls"
	"errors"
	"fmt"
	"regexp"
	"strconv"

	"github.com/brokerbench/brokerbench/brokers/target"
	amqp "github.com/rabbitmq/amqp091-go"
)

// A refusal is an [amqp.Error] with the text that the broker wrote.
type refusal struct{ cause *amqp.Error }

func (r refusal) Error() string { return r.cause.Reason }
func (r refusal) Unwrap() error { return r.cause }

// plain turns an [amqp.Error] into a refusal, and leaves other errors alone.
func plain(err error) error {
	if cause, ok := err.(*amqp.Error); ok { //nolint:errorlint // a wrapped one says more
		return refusal{cause}
	}
	return err
}

// explain returns a [target.Fault] of the target, or nil for a nil err.
func (f *Factory) explain(doing string, err error) error {
	return target.Explain(f.target, doing, err, f.remedy)
}

func (f *Factory) remedy(err error) string {
	var cause *amqp.Error
	var header tls.RecordHeaderError
	switch {
	case errors.As(err, &header):
		return "the port does not speak TLS: use the scheme " + scheme + ", or correct the port"
	case errors.Is(err, amqp.ErrCredentials):
		return "correct user and password; guest may only connect from the broker's own machine"
	case errors.As(err, &cause) && cause.Server:
		return f.remedyForCode(cause)
	case errors.Is(err, errBlocked):
		return "an alarm of the broker's: free memory or disk, or raise its limit"
	case errors.Is(err, ErrForgotten):
		return "set the option prefetch, so that the broker keeps it until it is acknowledged"
	case errors.Is(err, errHandshake):
		return "is it a RabbitMQ broker, and is " + f.target.Scheme + " the scheme of this port?"
	}
	return ""
}

// remedyForCode returns the remedy for the broker's reply code.
func (f *Factory) remedyForCode(cause *amqp.Error) string {
	switch cause.Code {
	case amqp.NotAllowed:
		return fmt.Sprintf("create the vhost %q and permit the user to use it, or name another as the URL's path", f.vhost())
	case amqp.AccessRefused:
		return "permit the user to configure, write and read brokerbench.* in this vhost; or correct user and password"
	case amqp.PreconditionFailed:
		if sizeLimit(cause) > 0 {
			return "send smaller messages, or raise max_message_size in the broker's rabbitmq.conf"
		}
		return "the broker does not accept this combination of options: change queue-type, durable, prefetch or max-length"
	case amqp.ResourceLocked:
		return "another run has this name, or the broker still holds the queue for a lost connection: wait and try again"
	case amqp.NotFound:
		return "somebody deleted the queue or the exchange: run again"
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

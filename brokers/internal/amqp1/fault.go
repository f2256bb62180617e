package amqp1

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"

	"github.com/Azure/go-amqp"
	"github.com/brokerbench/brokerbench/brokers/internal/management"
	"github.com/brokerbench/brokerbench/brokers/internal/transport"
)

// explain returns a [target.Fault] of the target, or nil for a nil err.
func (f *Factory) explain(doing string, err error) error { return f.broker.Explain(doing, plain(err)) }

// A serverError is an error with the text that the broker wrote: go-amqp prints a struct.
type serverError struct {
	error

	cause *amqp.Error
}

// Error implements error.
func (e serverError) Error() string {
	return strings.ReplaceAll(e.error.Error(), e.cause.Error(), fmt.Sprintf("%s (%s)", e.cause.Description, e.cause.Condition))
}

// Unwrap returns the error itself.
func (e serverError) Unwrap() error { return e.error }

// plain turns an error of the broker into a serverError, and leaves other errors alone.
func plain(err error) error {
	var cause *amqp.Error
	if errors.As(err, &cause) {
		return serverError{err, cause}
	}
	return err
}

func (f *Factory) remedy(err error) string {
	var cause *amqp.Error
	var answer *statusError
	switch {
	case errors.Is(err, errOther):
		return "name the address of its queues: address={name} if it makes queues when a client attaches, address=dynamic for temporary ones, or address=NAME-{number} for queues that exist"
	case errors.Is(err, errTooOld), f.options.address == "" && strings.Contains(err.Error(), "unexpected protocol version"):
		return "AMQP 1.0 needs RabbitMQ 4.0 or later: update the broker, or measure it over AMQP 0-9-1, with the scheme " + over091(f.broker.Target).Scheme
	case errors.Is(err, transport.ErrBlocked), errors.Is(err, transport.ErrQueueFull):
		return "the broker has raised an alarm: free memory or disk, or raise its limit"
	case f.options.address != "":
		return f.remedyForPlain(err)
	case strings.Contains(err.Error(), "SASL"):
		return management.CorrectUser
	case errors.As(err, &answer):
		return f.remedyForStatus(answer.status)
	case errors.As(err, &cause):
		return f.remedyForCondition(cause)
	case errors.Is(err, errRejected):
		return "the queue may be full: raise max-length"
	case errors.Is(err, errReleased):
		return "another client deleted the queue: run again"
	case errors.Is(err, errHandshake) && (errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET)):
		return f.broker.CreateVhost() + "; " + f.broker.WrongPort(err, errHandshake)
	}
	return f.broker.WrongPort(err, errHandshake)
}

// remedyForStatus returns the remedy for a status of the management node.
func (f *Factory) remedyForStatus(status string) string {
	switch status {
	case "400", "409":
		return "another run has this name, or the broker does not accept this combination of options: change queue-type, durable or max-length"
	case "403":
		return "a limit of the vhost or a policy forbids it: raise or change it"
	}
	return ""
}

// remedyForCondition returns the remedy for an error of the broker's.
func (f *Factory) remedyForCondition(cause *amqp.Error) string {
	switch cause.Condition {
	case amqp.ErrCondUnauthorizedAccess, amqp.ErrCondNotAllowed:
		if strings.Contains(cause.Description, "vhost") && !strings.Contains(cause.Description, "in vhost") {
			return f.broker.CreateVhost()
		}
		return management.Permit + ", and to write to the default exchange"
	case amqp.ErrCondNotFound:
		if strings.Contains(cause.Description, "vhost") && !strings.Contains(cause.Description, "in vhost") {
			return f.broker.CreateVhost()
		}
		return "another client deleted the queue: run again"
	case amqp.ErrCondResourceDeleted:
		return "another client deleted the queue: run again"
	case amqp.ErrCondResourceLocked:
		return "another run has this name, or the broker still holds the queue for a lost connection: wait and try again"
	case amqp.ErrCondMessageSizeExceeded:
		return "send smaller messages, or raise max_message_size in the broker's rabbitmq.conf"
	case amqp.ErrCondFramingError:
		return "with confirm=false its frame_max must be 128 KiB at least: use confirm=true, or smaller messages"
	case amqp.ErrCondResourceLimitExceeded:
		return "the broker limits connections, sessions or queues: raise the limit"
	case amqp.ErrCondConnectionForced, amqp.ErrCondInternalError:
		return "the broker was stopped, or its operator closed the connection: start it again"
	}
	return ""
}

package amqp1

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"

	"github.com/Azure/go-amqp"
	"github.com/brokerbench/brokerbench/brokers/internal/outbox"
	"github.com/brokerbench/brokerbench/brokers/rabbitmq"
	"github.com/brokerbench/brokerbench/brokers/target"
)

var errTooOld = errors.New("its AMQP 1.0 is another one")

// explain returns a [target.Fault] of the target, or nil for a nil err.
func (f *Factory) explain(doing string, err error) error {
	return target.Explain(f.target, doing, plain(err), f.remedy)
}

// A said is an error with what the broker said in its own words: go-amqp prints a struct.
type said struct {
	error

	cause *amqp.Error
}

// Error implements error.
func (s said) Error() string {
	return strings.ReplaceAll(s.error.Error(), s.cause.Error(), fmt.Sprintf("%s (%s)", s.cause.Description, s.cause.Condition))
}

// Unwrap returns the error itself.
func (s said) Unwrap() error { return s.error }

// plain returns an error in plain words.
func plain(err error) error {
	var cause *amqp.Error
	if errors.As(err, &cause) {
		return said{err, cause}
	}
	return err
}

func (f *Factory) remedy(err error) string {
	var header tls.RecordHeaderError
	var cause *amqp.Error
	var answer *refusal
	switch {
	case errors.As(err, &header):
		return "the port does not speak TLS: use the scheme " + scheme + ", or correct the port"
	case errors.Is(err, errTooOld), strings.Contains(err.Error(), "unexpected protocol version"):
		return "AMQP 1.0 needs RabbitMQ 4.0 or later: update the broker, or measure it over AMQP 0-9-1, with the scheme " + f.over091().Scheme
	case strings.Contains(err.Error(), "SASL"):
		return "correct user and password; guest may only connect from the broker's own machine"
	case errors.Is(err, errBlocked), errors.Is(err, outbox.ErrFull):
		return "an alarm of the broker's: free memory or disk, or raise its limit"
	case errors.Is(err, rabbitmq.ErrForgotten):
		return "set accept=true, so that the broker keeps it until it is accepted"
	case errors.As(err, &answer):
		return f.remedyForStatus(answer.status)
	case errors.As(err, &cause):
		return f.remedyForCondition(cause)
	case errors.Is(err, errHandshake) && (errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET)):
		return f.createVhost() + "; or is it no RabbitMQ broker, or " + f.target.Scheme + " not the scheme of this port?"
	case errors.Is(err, errHandshake):
		return "is it a RabbitMQ broker, and is " + f.target.Scheme + " the scheme of this port?"
	}
	return ""
}

// remedyForStatus returns the remedy for a status of the management node.
func (f *Factory) remedyForStatus(status string) string {
	switch status {
	case "400", "409":
		return "another run has this name, or the broker does not accept this combination of options: change queue-type, durable or max-length"
	case "403":
		return "a limit of the vhost's or a policy forbids it: raise or change it"
	}
	return ""
}

// remedyForCondition returns the remedy for an error of the broker's.
func (f *Factory) remedyForCondition(cause *amqp.Error) string {
	switch cause.Condition {
	case amqp.ErrCondUnauthorizedAccess, amqp.ErrCondNotAllowed:
		if strings.Contains(cause.Description, "vhost") && !strings.Contains(cause.Description, "in vhost") {
			return f.createVhost()
		}
		return "permit the user to configure, write and read brokerbench.* and, to write to it, the default exchange in this vhost"
	case amqp.ErrCondNotFound:
		if strings.Contains(cause.Description, "vhost") && !strings.Contains(cause.Description, "in vhost") {
			return f.createVhost()
		}
		return "somebody deleted the queue: run again"
	case amqp.ErrCondResourceDeleted:
		return "somebody deleted the queue: run again"
	case amqp.ErrCondResourceLocked:
		return "another run has this name, or the broker still holds the queue for a lost connection: wait and try again"
	case amqp.ErrCondMessageSizeExceeded:
		return "send smaller messages, or raise max_message_size in the broker's rabbitmq.conf"
	case amqp.ErrCondFramingError:
		return "with confirm=false its frame_max must be 128 KiB at least: use confirm=true, or smaller messages"
	case amqp.ErrCondResourceLimitExceeded:
		return "a limit of the broker's for connections, sessions or queues: raise it"
	case amqp.ErrCondConnectionForced, amqp.ErrCondInternalError:
		return "the broker was stopped, or its operator closed the connection: start it again"
	}
	return ""
}

func (f *Factory) createVhost() string {
	return fmt.Sprintf("create the vhost %q and permit the user to use it, or name another as the URL's path", f.vhost())
}

package rabbitstream

import (
	"errors"
	"strings"
	"syscall"

	"github.com/brokerbench/brokerbench/brokers/internal/management"
	"github.com/rabbitmq/rabbitmq-stream-go-client/pkg/stream"
)

var (
	errLost        = errors.New("the connection was lost")
	errUnavailable = errors.New("the broker says that the stream is not available")
)

// explain returns a [target.Fault] of the target, or nil for a nil err.
func (f *Factory) explain(doing string, err error) error { return f.broker.Explain(doing, err) }

func (f *Factory) remedy(err error) string {
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return "nothing listens there: start the broker, enable its plugin (rabbitmq-plugins enable rabbitmq_stream), or correct host and port"
	case errors.Is(err, stream.AuthenticationFailure), errors.Is(err, stream.AuthenticationFailureLoopbackError):
		return management.CorrectUser
	case errors.Is(err, stream.VirtualHostAccessFailure):
		return f.broker.CreateVhost()
	case errors.Is(err, stream.CodeAccessRefused):
		return management.Permit
	case errors.Is(err, errExists):
		return "another run has this name; brokerbench clean removes the streams of earlier runs"
	case errors.Is(err, stream.PreconditionFailed):
		return "the broker does not accept this combination of options: change max-length or segment-size"
	case errors.Is(err, stream.FrameTooLarge):
		return "send smaller messages, or raise stream.frame_max in the broker's rabbitmq.conf and the option frame-size"
	case errors.Is(err, errTrimmed):
		return "leave out the option max-length, or raise it"
	case errors.Is(err, stream.StreamDoesNotExist):
		return "another client deleted the stream: run again"
	case errors.Is(err, stream.StreamNotAvailable), errors.Is(err, stream.LeaderNotReady), errors.Is(err, errUnavailable):
		return "the stream has no leader yet, or too few of its nodes run: start them"
	case errors.Is(err, errLost), errors.Is(err, stream.AlreadyClosed):
		return "the broker is away, or has closed the connection: start it again, and see its log"
	case errors.Is(err, stream.InternalError):
		return "see the broker's log: its disk may be full"
	case strings.Contains(err.Error(), "waiting Code"):
		return "the broker took the question and does not answer: see its log"
	}
	return f.broker.WrongPort(err, errHandshake)
}

package nsq

import (
	"errors"
	"sync"

	"github.com/nsqio/go-nsq"

	"github.com/brokerbench/brokerbench/brokers/internal/transport"
)

var errUnasked = errors.New("nsqd answered a message that was not sent")

// A publisher is a socket for messages to nsqd. Like the client's Producer, it hands each to a goroutine that
// writes it. The Producer itself crashes the process at an answer that it does not wait for: no release has the
// correction of nsqio/go-nsq#345.
type publisher struct {
	link   *link
	socket *nsq.Conn
	handed chan *message // to the goroutine that writes
	ended  chan struct{} // closed by end
	end    func()        // makes the goroutine that writes and blocked calls of publish return; idempotent

	taken sent // by oldest; of the goroutine that reads

	mu    sync.Mutex
	sent  []sent // without an answer from first on, the oldest first
	first int
	cause error // why messages fail; nil: the socket is open
}

// A message is one that is to be written.
type message struct {
	sent

	topic string
	body  []byte
}

// A sent is a message that waits for OK.
type sent struct {
	head  transport.Stamp
	probe chan<- error // gets the outcome; nil: it is no probe
}

// messages are those whose buffer may be used again.
var messages = sync.Pool{New: func() any { return new(message) }}

// dial connects to nsqd.
func (l *link) dial(config *nsq.Config) (*publisher, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	p := &publisher{link: l, handed: make(chan *message), ended: make(chan struct{})}
	p.end = sync.OnceFunc(func() { close(p.ended) })
	p.socket = nsq.NewConn(l.addr, config, p)
	p.socket.SetLogger(failures{l}, nsq.LogLevelError, "")
	if _, err := p.socket.Connect(); err != nil {
		_ = p.socket.Close()
		return nil, err
	}
	go p.write() // a blocked write ends with its timeout, which Close does not wait for
	return p, nil
}

// publish hands a message to the goroutine that writes. probe gets the outcome, or else the connection.
func (p *publisher) publish(topic string, payload []byte, probe chan<- error) error {
	m := messages.Get().(*message)
	m.topic, m.body, m.probe = topic, append(m.body[:0], payload...), probe
	copy(m.head[:], payload)
	select {
	case p.handed <- m:
		return nil
	case <-p.ended:
		return nsq.ErrStopped
	}
}

// write writes messages until the publisher ends. An error means that the link is lost, which the client logs:
// then close fails those without an answer.
func (p *publisher) write() {
	command := nsq.Publish("", nil)
	for {
		select {
		case m := <-p.handed:
			command.Params[0], command.Body = append(command.Params[0][:0], m.topic...), m.body
			if err := p.add(m.sent); err != nil {
				p.report(&m.sent, err)
			} else {
				_ = p.socket.WriteCommand(command)
			}
			messages.Put(m)
		case <-p.ended:
			return
		}
	}
}

// add notes that a message waits for its answer; it fails once the publisher is closed.
func (p *publisher) add(s sent) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cause == nil {
		p.sent = append(p.sent, s)
	}
	return p.cause
}

// oldest takes the message that has waited longest for its answer, if any waits.
func (p *publisher) oldest() (ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.first == len(p.sent) {
		return false
	}
	p.taken = p.sent[p.first]
	p.first++
	if p.first == len(p.sent) || p.first > 1024 && p.first > len(p.sent)/2 { // it may never be empty
		p.sent, p.first = append(p.sent[:0], p.sent[p.first:]...), 0
	}
	return true
}

// answered reports the outcome of the oldest message: nsqd answers in their order.
func (p *publisher) answered(err error) {
	if p.oldest() {
		p.report(&p.taken, err)
	} else {
		p.link.Lose(errUnasked)
	}
}

// report passes on the outcome of a message.
func (p *publisher) report(s *sent, err error) {
	switch {
	case s.probe != nil:
		s.probe <- err
	case err == nil:
		p.link.conn.Acked(s.head[:])
	default:
		p.link.conn.Failed(s.head[:], err)
	}
}

// close ends the socket. Messages without an answer fail with the cause.
func (p *publisher) close(cause error) {
	p.end()
	_ = p.socket.Close()
	p.mu.Lock()
	left := p.sent[p.first:]
	p.sent, p.first, p.cause = nil, 0, cause
	p.mu.Unlock()
	for i := range left {
		p.report(&left[i], cause)
	}
}

// OnResponse implements [nsq.ConnDelegate].
func (p *publisher) OnResponse(*nsq.Conn, []byte) { p.answered(nil) }

// OnError implements [nsq.ConnDelegate].
func (p *publisher) OnError(_ *nsq.Conn, said []byte) {
	p.answered(nsq.ErrProtocol{Reason: string(said)})
}

// OnMessage implements [nsq.ConnDelegate].
func (*publisher) OnMessage(*nsq.Conn, *nsq.Message) {}

// OnMessageFinished implements [nsq.ConnDelegate].
func (*publisher) OnMessageFinished(*nsq.Conn, *nsq.Message) {}

// OnMessageRequeued implements [nsq.ConnDelegate].
func (*publisher) OnMessageRequeued(*nsq.Conn, *nsq.Message) {}

// OnBackoff implements [nsq.ConnDelegate].
func (*publisher) OnBackoff(*nsq.Conn) {}

// OnContinue implements [nsq.ConnDelegate].
func (*publisher) OnContinue(*nsq.Conn) {}

// OnResume implements [nsq.ConnDelegate].
func (*publisher) OnResume(*nsq.Conn) {}

// OnIOError implements [nsq.ConnDelegate].
func (*publisher) OnIOError(*nsq.Conn, error) {}

// OnHeartbeat implements [nsq.ConnDelegate].
func (*publisher) OnHeartbeat(*nsq.Conn) {}

// OnClose implements [nsq.ConnDelegate].
func (*publisher) OnClose(*nsq.Conn) {}

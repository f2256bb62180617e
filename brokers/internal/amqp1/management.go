package amqp1

import (
	"context"
	"errors"
	"fmt"

	"github.com/Azure/go-amqp"

	"github.com/brokerbench/brokerbench/brokers/internal/rabbitmq"
)

// A node is a client of RabbitMQ's management node, which answers requests like those of HTTP
// over a pair of links ("HTTP over AMQP").
type node struct {
	to   *amqp.Sender
	from *amqp.Receiver
}

const (
	nodeAddress = "/management"
	pairName    = "brokerbench"
)

// A statusError is an answer of the management node other than success.
type statusError struct {
	status string // of HTTP
	text   string
}

func (e *statusError) Error() string { return e.text + " (status " + e.status + ")" }

// manage calls do with the management node, over a new session. It does not end the session:
// go-amqp would begin the next one under the same number, and RabbitMQ 4.0 sometimes mistakes
// that for a message to the old one, and never answers.
func (c *client) manage(ctx context.Context, do func(*node) error) error {
	return c.During(ctx, func() error {
		session, err := c.NewSession(ctx, nil)
		if err != nil {
			return err
		}
		n, err := newNode(ctx, session)
		if err != nil {
			return err
		}
		select {
		case <-c.credit:
		case <-ctx.Done():
			return ctx.Err()
		}
		return do(n)
	})
}

// newNode attaches both links of the pair.
func newNode(ctx context.Context, session *amqp.Session) (n *node, err error) {
	n = &node{}
	paired := map[string]any{"paired": true}
	n.from, err = session.NewReceiver(ctx, nodeAddress, &amqp.ReceiverOptions{
		Name: pairName, TargetAddress: nodeAddress, Properties: paired, Credit: 8,
		RequestedSenderSettleMode: amqp.SenderSettleModeSettled.Ptr(), SettlementMode: amqp.ReceiverSettleModeFirst.Ptr(),
	})
	if err != nil {
		return nil, err
	}
	n.to, err = session.NewSender(ctx, nodeAddress, &amqp.SenderOptions{
		Name: pairName, SourceAddress: nodeAddress, Properties: paired,
		SettlementMode: amqp.SenderSettleModeSettled.Ptr(), RequestedReceiverSettleMode: amqp.ReceiverSettleModeFirst.Ptr(),
	})
	return n, err
}

// ask sends a request and waits for its answer. Without success the error is a statusError.
func (n *node) ask(ctx context.Context, method, path string, body any) error {
	id, replyTo := "1", "$me"
	if body == nil {
		body = amqp.Null{}
	}
	err := n.to.Send(ctx, &amqp.Message{
		Properties: &amqp.MessageProperties{MessageID: id, To: &path, Subject: &method, ReplyTo: &replyTo}, Value: body,
	}, nil)
	if err != nil {
		return blocked(ctx, err)
	}
	answer, err := n.from.Receive(ctx, nil)
	switch {
	case err != nil:
		return err
	case answer.Properties == nil || answer.Properties.Subject == nil:
		return errors.New("the management node's answer has no status")
	}
	if status := *answer.Properties.Subject; status == "" || status[0] != '2' {
		return &statusError{status: status, text: fmt.Sprint(answer.Value)}
	}
	return nil
}

// A request is one to the management node.
type request struct {
	method, path string
	body         map[string]any
}

// declare declares the queue of a connection and the exchanges, each with its audit queue, and binds them.
func (n *node) declare(ctx context.Context, c *conn) error {
	f, o := c.factory, &c.factory.options
	what, all := "exchange "+c.SendsTo, []request(nil)
	if c.Queue != "" {
		what = "queue " + c.Queue
		all = append(all, request{"PUT", queuePath(c.Queue), map[string]any{
			"durable": o.queue.Durable, "exclusive": f.Exclusive(), "auto_delete": !o.queue.Durable,
			"arguments": o.queue.Arguments(&o.Durability),
		}})
	}
	for _, exchange := range f.exchanges(c) {
		all = append(all, o.declareExchange(exchange)...)
		if c.Queue != "" {
			all = append(all, bind(c.Queue, exchange))
		}
	}
	for _, r := range all {
		if err := n.ask(ctx, r.method, r.path, r.body); err != nil {
			return fmt.Errorf("declaring %s: %w", what, err)
		}
	}
	return nil
}

// declareExchange returns requests for an exchange, and for its audit queue if it has one.
func (o *options) declareExchange(exchange string) []request {
	all := []request{{"PUT", "/exchanges/" + exchange, map[string]any{"type": "fanout", "durable": o.queue.Durable, "auto_delete": true, "internal": false, "arguments": map[string]any{}}}}
	if o.Audits() {
		audit := rabbitmq.AuditQueue(exchange)
		all = append(all, request{"PUT", queuePath(audit), map[string]any{"durable": true, "exclusive": false, "auto_delete": false, "arguments": o.queue.AuditArguments(&o.Durability)}}, bind(audit, exchange))
	}
	return all
}

// bind returns the request to bind a queue to an exchange.
func bind(queue, exchange string) request {
	return request{"POST", "/bindings", map[string]any{"source": exchange, "destination_queue": queue, "binding_key": "", "arguments": map[string]any{}}}
}

// queuePath returns the path of a queue, which is its address as well. Our names have
// nothing that a URL would escape.
func queuePath(queue string) string { return "/queues/" + queue }

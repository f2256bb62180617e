package mqtt

import (
	"errors"
	"time"

	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
)

const (
	scheme     = "mqtt"
	schemeTLS  = "mqtts"
	maxReceive = 1<<16 - 1
)

// options are the options of a target, as its URL gives them.
type options struct {
	qos            int
	auditSession   bool
	keptSession    bool
	receiveMaximum int
	keepAlive      time.Duration
	reconnectWait  time.Duration
	noDelay        bool
	tls            target.TLS
	durability     target.Durable
	management     string
}

// define adds every option to set, with its default.
func (o *options) define(set target.Options) {
	set.IntVar(&o.qos, "qos", 0, "quality of service of messages and subscription: 0, nothing is acknowledged; 1, PUBACK is the acknowledgement; 2, PUBCOMP is; sending does not wait for it, and a message that is refused counts as failed")
	set.BoolVar(&o.auditSession, "audit-session", false, "have a second session subscribe to each topic, from which the audit reads back the messages that the broker kept; needs qos=1 or 2, and memory in the broker for all messages (Mosquitto: max_queued_messages)")
	set.BoolVar(&o.keptSession, "persistent-session", false, "with groups of consumers: the broker keeps the sessions of members that are away, with the messages for them; needs qos=1 or 2, and memory in the broker for them (Mosquitto: max_queued_messages)")
	set.IntVar(&o.receiveMaximum, "receive-maximum", 8192, "deliveries of QoS 1 and 2 that may be on their way at once")
	set.DurationVar(&o.keepAlive, "keep-alive", 15*time.Second, "silence after which the client pings the broker, and how long the answer may take before the connection is given up; whole seconds; 0: never")
	set.DurationVar(&o.reconnectWait, "reconnect-wait", 100*time.Millisecond, "pause before each attempt to reconnect")
	set.BoolVar(&o.noDelay, "tcp-nodelay", true, "send small packets at once (TCP_NODELAY); the broker's own setting is another matter")
	o.tls.Define(set)
	o.durability.Define(set, Levels())
	set.StringVar(&o.management, "management", "", "URL of RabbitMQ's management API, which tells the target's user product and version; \"\": they are those of "+asked)
}

// check reports every option with a bad value, and options that contradict each
// other, at once.
func (o *options) check(encrypted bool) error {
	return errors.Join(
		target.Between("qos", o.qos, 0, 2),
		target.Refuse(o.auditSession && o.qos == 0, "option audit-session=true needs qos=1 or 2: of QoS 0 a broker keeps nothing"),
		target.Refuse(o.keptSession && o.qos == 0, "option persistent-session=true needs qos=1 or 2: of QoS 0 a broker keeps nothing"),
		target.Between("receive-maximum", o.receiveMaximum, 1, maxReceive),
		target.Between("keep-alive", o.keepAlive, time.Second, maxReceive*time.Second, 0),
		target.Refuse(o.keepAlive%time.Second != 0, "option keep-alive: %v: want whole seconds", o.keepAlive),
		target.Between("reconnect-wait", o.reconnectWait, time.Millisecond, time.Minute),
		o.tls.Check(encrypted, schemeTLS),
		o.durability.Check(o.backs()),
		target.CheckHTTP("option management", o.management),
	)
}

// Options returns every option with its default and a line of documentation.
func Options(string) []requester.Setting {
	return target.NewOptions("mqtt", new(options).define).Settings()
}

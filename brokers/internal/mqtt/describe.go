package mqtt

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/eclipse/paho.golang/paho"

	"github.com/brokerbench/brokerbench/brokers/internal/management"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
)

// asked is the topic in which a broker says what it is.
const asked = "$SYS/broker/version"

// Levels returns how a broker that speaks MQTT keeps each level of durability. The protocol says
// nothing of files: what PUBACK promises depends on the product.
func Levels() []target.Level {
	return []target.Level{
		{Durability: requester.None, Options: "qos=0", Note: "nothing of QoS 0 is acknowledged"},
		{Durability: requester.Accepted, Options: "qos=1", Note: "kept for sessions that outlive their connection, see audit-session"},
		{
			Durability: requester.Process, Options: "qos=1", Server: "a message is written before PUBACK", Asked: asked,
			Note: "Mosquitto has no such level: it acknowledges before it writes its file, even if that is after each change; other products: not verified",
		},
		{Durability: requester.Machine, Options: "qos=1", Server: "a message is synced before PUBACK", Asked: asked, Note: "Mosquitto has no such level"},
		{Durability: requester.Node, Options: "qos=1", Server: "a cluster that copies before PUBACK", Asked: asked, Note: "Mosquitto has no cluster"},
	}
}

// backs returns the most that the options allow.
func (o *options) backs() requester.Durability {
	if o.qos == 0 {
		return requester.None
	}
	return requester.Node
}

const (
	clientModule = "github.com/eclipse/paho.golang"
	mosquitto    = "Mosquitto"
)

// listenTime is how long to listen for the broker's version, which is a retained message, or for
// messages of a run.
const listenTime = time.Second

// Describe implements [requester.Describer]: product and version are those of
// $SYS/broker/version, where the broker has that topic and lets us read it, or those that
// RabbitMQ's management API reports.
func (f *Factory) Describe(ctx context.Context) (requester.Description, error) {
	d := f.Description("", clientModule, "")
	said, c, err := f.listen(ctx, "describe", asked)
	if err != nil {
		return d, f.Explain("connecting", err)
	}
	var limit target.Limit
	d.Product, d.Version, limit = product(strings.TrimSpace(said))
	if f.options.management != "" {
		config, err := f.options.tls.Config()
		if err != nil {
			return d, err
		}
		api := management.API{Base: f.options.management, User: f.Target.User, Password: f.Target.Password, TLS: config}
		if api.User == "" {
			api.User, api.Password = "guest", "guest" // as other protocols of RabbitMQ
		}
		if d.Product, d.Version, err = api.Product(ctx); err != nil {
			return d, f.Explain("asking the management API for the product", err)
		}
	}
	largest := "none"
	if c.packet > 0 {
		largest = fmt.Sprint(c.packet)
	}
	d.Settings = append(d.Settings,
		requester.Setting{Name: "server-receive-maximum", Value: fmt.Sprint(c.window), Doc: "messages of QoS 1 and 2 that the broker takes before it has acknowledged the first; more wait in the client"},
		requester.Setting{Name: "server-maximum-packet-size", Value: largest, Doc: "largest packet in bytes that the broker takes"},
		requester.Setting{Name: "server-maximum-qos", Value: fmt.Sprint(c.qos), Doc: "highest quality of service that the broker has"})
	d.Durability, err = f.options.durability.Back(f.options.backs(), limit)
	return d, f.Explain("asking for what backs durability", err)
}

// product returns the name and version of a broker, and the limit of its durability. Mosquitto says
// "mosquitto version 2.0.21".
func product(said string) (name, version string, limit target.Limit) {
	version, known := strings.CutPrefix(said, "mosquitto version ")
	if !known {
		return "MQTT broker", version, target.Limit{Level: requester.Accepted, Because: "the meaning of an acknowledgement of this product is not known", Unknown: true}
	}
	return mosquitto, version, target.Limit{
		Level: requester.Accepted, Because: "Mosquitto acknowledges before it writes its file", Remedy: "no setting of Mosquitto's does: ask for durability=accepted",
	}
}

// listen returns the first message of a topic, over a separate connection; "" if none comes, or
// the broker does not permit the subscription.
func (f *Factory) listen(ctx context.Context, name, topic string) (message string, over *client, err error) {
	heard := make(chan string, 1)
	hear := func(_ string, payload []byte) {
		select {
		case heard <- string(payload):
		default: // one is enough
		}
	}
	err = f.with(ctx, 0, paho.Connect{ClientID: "brokerbench." + f.Run + "." + name, CleanStart: true}, delivering(hear), func(_ context.Context, c *client) error {
		over = c
		if c.subscribe(ctx, topic, 0) == nil {
			select {
			case message = <-heard:
			case <-time.After(listenTime):
			case <-ctx.Done():
			}
		}
		return ctx.Err()
	})
	return message, over, err
}

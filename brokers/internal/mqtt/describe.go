package mqtt

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
)

const (
	clientModule = "github.com/eclipse/paho.golang"
	mosquitto    = "Mosquitto"
)

// listenTime is how long to listen for the broker's version, which is a retained message, or for
// messages of a run.
const listenTime = time.Second

// versionText matches what Mosquitto says: "mosquitto version 2.0.21".
var versionText = regexp.MustCompile(`^mosquitto version (\S+)$`)

// Describe implements [requester.Describer]: product and version are those of
// $SYS/broker/version, where the broker has that topic and lets us read it.
func (f *Factory) Describe(ctx context.Context) (requester.Description, error) {
	d := requester.Description{Client: target.Client(clientModule, ""), Settings: slices.Clone(f.settings)}
	version, c, err := f.listen(ctx, "describe", asked)
	if err != nil {
		return d, f.explain("connecting", err)
	}
	var limit target.Limit
	d.Product, d.Version, limit = product(strings.TrimSpace(version))
	d.Settings = append(d.Settings, c.settings()...)
	d.Durability, err = f.options.durability.Back(f.options.backs(), limit)
	return d, f.explain("asking for what backs durability", err)
}

// product returns the name and version of a broker, and the limit of its durability.
func product(said string) (name, version string, limit target.Limit) {
	limit = target.Limit{Level: requester.Accepted, Because: "the meaning of an acknowledgement of this product is not known", Unknown: true}
	match := versionText.FindStringSubmatch(said)
	if match == nil {
		return "MQTT broker", said, limit
	}
	limit = target.Limit{Level: requester.Accepted, Because: "Mosquitto acknowledges before it writes its file", Remedy: "no setting of Mosquitto's does: ask for durability=accepted"}
	return mosquitto, match[1], limit
}

// listen returns the first message of a topic, over a separate connection; "" if none comes, or
// the broker does not permit the subscription.
func (f *Factory) listen(ctx context.Context, name, topic string) (message string, c *client, err error) {
	heard := make(chan string, 1)
	c, err = f.dial(ctx, 0, dialOptions{id: "brokerbench." + f.run + "." + name, deliver: func(payload []byte) {
		select {
		case heard <- string(payload):
		default: // one is enough
		}
	}})
	if err != nil {
		return "", nil, err
	}
	defer c.close(false)
	defer context.AfterFunc(ctx, c.socket.Cut)()
	if c.subscribe(ctx, topic, 0) != nil {
		return "", c, ctx.Err()
	}
	select {
	case message = <-heard:
	case <-time.After(listenTime):
	case <-ctx.Done():
	}
	return message, c, ctx.Err()
}

// settings returns what the broker says about its limits when it accepts a connection.
func (c *client) settings() []requester.Setting {
	packet, qos, window := c.limits()
	most := "none"
	if packet > 0 {
		most = strconv.Itoa(packet)
	}
	return []requester.Setting{
		{Name: "server-receive-maximum", Value: strconv.Itoa(window), Doc: "messages of QoS 1 and 2 that the broker takes before it has acknowledged the first; more wait in the client"},
		{Name: "server-maximum-packet-size", Value: most, Doc: "largest packet in bytes that the broker takes"},
		{Name: "server-maximum-qos", Value: strconv.Itoa(qos), Doc: "highest quality of service that the broker has"},
	}
}

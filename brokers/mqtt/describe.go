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
	unknown      = "MQTT broker" // a product that does not say its name
)

// versionWait is how long a broker may take to say its version, which is a retained message.
const versionWait = time.Second

// versionText matches what Mosquitto says: "mosquitto version 2.0.21".
var versionText = regexp.MustCompile(`^mosquitto version (\S+)$`)

// Describe implements [requester.Describer]: product and version are those of
// $SYS/broker/version, where the broker has that topic and lets us read it.
func (f *Factory) Describe(ctx context.Context) (requester.Description, error) {
	d := requester.Description{Product: unknown, Client: target.Client(clientModule, ""), Settings: slices.Clone(f.settings)}
	said := make(chan string, 1)
	c, err := f.dial(ctx, 0, dialling{id: "brokerbench." + f.run + ".describe", deliver: func(payload []byte) {
		select {
		case said <- string(payload):
		default: // once is enough
		}
	}})
	if err != nil {
		return d, f.explain("connecting", err)
	}
	defer c.close(false)
	defer context.AfterFunc(ctx, c.socket.cut)()
	d.Product, d.Version = product(c.version(ctx, said))
	d.Settings = append(d.Settings, c.limits()...)
	d.Durability, err = f.options.durability.Back(f.options.backs(), limit(d.Product))
	return d, f.explain("asking for what backs durability", err)
}

// version returns what the broker says of itself; "" if nothing.
func (c *client) version(ctx context.Context, said <-chan string) string {
	if c.subscribe(ctx, asked, 0) != nil {
		return ""
	}
	select {
	case text := <-said:
		return strings.TrimSpace(text)
	case <-time.After(versionWait):
	case <-ctx.Done():
	}
	return ""
}

// product returns the product and version that a text is about.
func product(text string) (name, version string) {
	if match := versionText.FindStringSubmatch(text); match != nil {
		return mosquitto, match[1]
	}
	return unknown, text
}

// limits returns what the broker says of its limits when it accepts a connection.
func (c *client) limits() []requester.Setting {
	window, most := maxReceive, "none"
	if p := c.answer.Properties; p != nil && p.ReceiveMaximum != nil {
		window = int(*p.ReceiveMaximum)
	}
	if size := c.largest(); size > 0 {
		most = strconv.Itoa(size)
	}
	return []requester.Setting{
		{Name: "server-receive-maximum", Value: strconv.Itoa(window), Doc: "messages of QoS 1 and 2 that the broker takes before it has acknowledged the first; more wait in the client"},
		{Name: "server-maximum-packet-size", Value: most, Doc: "largest packet in bytes that the broker takes"},
		{Name: "server-maximum-qos", Value: strconv.Itoa(c.highestQoS()), Doc: "highest quality of service that the broker has"},
	}
}

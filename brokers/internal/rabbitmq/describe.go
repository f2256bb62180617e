package rabbitmq

import (
	"context"
	"strconv"

	"github.com/brokerbench/brokerbench/requester"
)

const clientModule = "github.com/rabbitmq/amqp091-go"

// Describe implements [requester.Describer]. Settings that client and broker
// negotiate have the value that they agreed on.
func (f *Factory) Describe(ctx context.Context) (requester.Description, error) {
	d := f.broker.Description("RabbitMQ", clientModule, "")
	s, err := f.dial(ctx, 0, "brokerbench describes the broker")
	if err != nil {
		return d, f.explain("connecting", err)
	}
	defer s.close()
	if product, ok := s.Properties["product"].(string); ok {
		d.Product = product
	}
	d.Version, _ = s.Properties["version"].(string)
	for i, setting := range d.Settings {
		switch setting.Name {
		case "frame-size":
			d.Settings[i].Value = strconv.Itoa(s.Config.FrameSize)
		case "heartbeat":
			d.Settings[i].Value = s.Config.Heartbeat.String()
		}
	}
	d.Settings = append(d.Settings, f.AuditSetting())
	d.Timers = f.Timers(ctx)
	d.Durability, err = f.Backing(ctx)
	return d, f.explain("asking for what backs durability", err)
}

package amqp1

import "github.com/brokerbench/brokerbench/brokers/rabbitmq"

// arguments returns the arguments of the queue. The type is always among them,
// because a vhost may have another default.
func (o *options) arguments() map[string]any {
	args := map[string]any{"x-queue-type": o.queueType}
	if o.durable {
		args["x-expires"] = rabbitmq.Expiry.Milliseconds()
	}
	if o.maxLength > 0 {
		args["x-max-length"], args["x-overflow"] = int64(o.maxLength), "reject-publish"
	}
	return args
}

package brokers

import (
	"slices"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/adapter"
	"github.com/brokerbench/brokerbench/brokers/internal/amqp1"
	"github.com/brokerbench/brokerbench/brokers/internal/grpc/form"
	"github.com/brokerbench/brokerbench/brokers/internal/kafka"
	"github.com/brokerbench/brokerbench/brokers/internal/mqtt"
	"github.com/brokerbench/brokerbench/brokers/internal/nats"
	"github.com/brokerbench/brokerbench/brokers/internal/nsq"
	"github.com/brokerbench/brokerbench/brokers/internal/postgres"
	"github.com/brokerbench/brokerbench/brokers/internal/rabbitmq"
	"github.com/brokerbench/brokerbench/brokers/internal/rabbitstream"
	"github.com/brokerbench/brokerbench/brokers/internal/redis"
	"github.com/brokerbench/brokerbench/brokers/internal/web"
	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/internal/loopback"
	"github.com/brokerbench/brokerbench/requester"
)

// All returns the brokers that brokerbench knows. To add one to brokerbench, add it
// here; to add one of your own to a program of your own, append it: see package cmd.
func All() Table {
	return slices.Concat(Table{
		{
			Name: "nats", Schemes: []string{"nats", "tls", "nats+tls"}, Example: "nats://127.0.0.1:4222",
			Ports:   []string{"4222", "4222", "4222"},
			Usual:   "nats://127.0.0.1:4222",
			Summary: "NATS core, or a JetStream stream (option stream): a subject a connection, through nats.go",
			Open:    func(t target.Target, run string) (requester.Factory, error) { return nats.New(t, run) },
			Options: nats.Options, Durability: nats.Levels, Modes: []string{"stream=file&consumer=pull"},
			Decisive: []Decisive{{Name: "stream", Default: "none"}, {Name: "replicas", Default: "1"}},
			Bounds:   []Bound{{Unless: "stream=none", Option: "max-age", Value: "10m", Grows: "0s", Or: "retention"}},
		},
		ofRedis("redis", "Redis"), ofRedis("valkey", "Valkey"),
	}, ofRabbitMQ(), Table{
		ofKafka(),
		{
			Name: "mqtt", Schemes: []string{"mqtt", "mqtts"}, Example: "mqtt://127.0.0.1:1883", Usual: "mqtt://127.0.0.1:1883",
			Ports:   []string{"1883", "8883"},
			Summary: "MQTT 5, such as Mosquitto or RabbitMQ 4: a topic a connection, through paho.golang",
			Open:    func(t target.Target, run string) (requester.Factory, error) { return mqtt.New(t, run) },
			Options: mqtt.Options, Durability: mqtt.Levels, Modes: []string{"qos=1&audit-session=true"},
			Decisive: []Decisive{{Name: "qos", Default: "0"}, {Name: "audit-session", Default: "false", Work: true}},
			Bounds:   []Bound{{Option: "audit-session", Value: "false", Grows: "true"}},
		},
		{
			Name: "exec", Schemes: []string{adapter.Scheme}, Example: "exec:sh ./my-adapter --flag",
			Summary: "any system, through a process of yours: see docs/adapters.md",
			Open:    func(t target.Target, run string) (requester.Factory, error) { return adapter.New(t, run) },
			Options: adapter.Options, Durability: adapter.Levels,
			Floor: adapter.Floor,
		},
		{
			Name: "nsq", Schemes: []string{"nsq", "nsq+tls"}, Example: "nsq://127.0.0.1:4150", Usual: "nsq://127.0.0.1:4150",
			Ports:   []string{"4150", "4150"},
			Summary: "NSQ: a topic a connection, through go-nsq",
			Open:    func(t target.Target, run string) (requester.Factory, error) { return nsq.New(t, run) },
			Options: nsq.Options, Durability: nsq.Levels, Sockets: 2, // a producer and a consumer
			Modes:    []string{"audit-channel=true"},
			Decisive: []Decisive{{Name: "audit-channel", Default: "false", Work: true}},
			Bounds:   []Bound{{Option: "audit-channel", Value: "false", Grows: "true"}},
		},
		ofPostgres(),
	}, ofCalls(), Table{
		{
			Name: "loopback", Schemes: []string{"loopback"}, Example: "loopback:?delay=1ms",
			Summary: "no broker: an echo in memory that misbehaves as you ask, for trying things out",
			Open:    openLoopback, Options: optionsOfLoopback,
		},
	})
}

// ofCalls returns the rows of direct calls, without a broker.
func ofCalls() Table {
	return Table{
		{
			Name: "http", Schemes: []string{"http", "https"}, Example: "http://127.0.0.1:8080/echo", Usual: "http:",
			Ports:   []string{"80", "443"},
			Summary: "a direct call to an HTTP service that answers a POST with its body, through net/http; http: without a host starts one",
			Open:    func(t target.Target, run string) (requester.Factory, error) { return web.New(t, run) },
			Options: web.Options, Sockets: 32, // see the option connections
		},
		{
			Name: "grpc", Schemes: []string{"grpc", "grpcs"}, Example: "grpc://127.0.0.1:50051", Usual: "grpc:",
			Ports:   []string{"50051", "50051"},
			Summary: "a direct call to a gRPC service that sends each message back, through grpc-go, in builds with -tags grpcnotrace; grpc: without a host starts one",
			Open:    openGRPC, Options: form.Options,
		},
	}
}

// ofRedis returns the row of Redis or of Valkey, its fork.
func ofRedis(name, product string) Broker {
	return Broker{
		Name: name, Schemes: redis.Schemes(name), Guides: redis.Guides(name), Example: name + "://127.0.0.1:6379/0",
		Ports:   []string{"6379", "6379", "6379", "6379", "26379", "26379"},
		Usual:   name + "://127.0.0.1:6379",
		Summary: product + " pub/sub or streams: a channel or a stream a connection, through go-redis",
		Open:    func(t target.Target, run string) (requester.Factory, error) { return redis.New(t, run) },
		Options: redis.Options, Durability: redis.Levels, Modes: []string{"stream=group"},
		Bounds: []Bound{{Unless: "stream=none", Option: "max-len", Value: "10000", Grows: "0", Or: "retention"}},
	}
}

// ofRabbitMQ returns the rows of RabbitMQ, one for each of its protocols.
func ofRabbitMQ() Table {
	return Table{
		{
			Name: "rabbitmq", Schemes: []string{"amqp", "amqps"}, Example: "amqp://guest:guest@127.0.0.1:5672/vhost",
			Ports:   []string{"5672", "5671"},
			Usual:   "amqp://guest:guest@127.0.0.1:5672",
			Summary: "RabbitMQ: a queue a connection, through amqp091-go",
			Open:    func(t target.Target, run string) (requester.Factory, error) { return rabbitmq.New(t, run) },
			Options: rabbitmq.Options, Durability: rabbitmq.Levels, Modes: []string{"durability=process"},
			Decisive: decisiveOfRabbitMQ(), Bounds: boundsOfQueues(),
		},
		{
			Name: "amqp1", Schemes: []string{"amqp1", "amqp1s"}, Example: "amqp1://guest:guest@127.0.0.1:5672/vhost",
			Ports:   []string{"5672", "5671"},
			Usual:   "amqp1://guest:guest@127.0.0.1:5672",
			Summary: "AMQP 1.0: RabbitMQ 4, or with the option address another broker, such as Artemis or Qpid: a queue a connection, through go-amqp",
			Open:    amqp1.NewFor,
			Options: amqp1.Options, Durability: amqp1.Levels, Modes: []string{"durability=process"},
			Bounds: append(boundsOfQueues(), Bound{Unless: "address=", Option: "address", Only: "RabbitMQ"}),
		},
		{
			Name: "rabbitmq-stream", Schemes: []string{"rabbitmq-stream", "rabbitmq-stream+tls"}, Example: "rabbitmq-stream://guest:guest@127.0.0.1:5552/vhost",
			Ports:   []string{"5552", "5551"},
			Usual:   "rabbitmq-stream://guest:guest@127.0.0.1:5552",
			Summary: "RabbitMQ streams: a stream a connection, through rabbitmq-stream-go-client",
			Open:    func(t target.Target, run string) (requester.Factory, error) { return rabbitstream.New(t, run) },
			Options: rabbitstream.Options, Durability: rabbitstream.Levels, Sockets: 3, // to publish, to consume, and to ask
			Bounds: []Bound{
				{Option: "max-length", Value: "67108864", Grows: "0", Or: "retention"},
				{Option: "segment-size", Value: "16777216", Grows: "0", Or: "retention"}, // the broker removes whole segments
			},
			Advertises: true,
		},
	}
}

// ofKafka returns the row of Kafka.
func ofKafka() Broker {
	return Broker{
		Name: "kafka", Schemes: []string{"kafka", "kafka+tls"}, Example: "kafka://127.0.0.1:9092,127.0.0.1:9093?acks=all",
		Ports:   []string{"9092", "9092"},
		Usual:   "kafka://127.0.0.1:9092",
		Summary: "Kafka: a topic a connection, through franz-go",
		Open:    func(t target.Target, run string) (requester.Factory, error) { return kafka.New(t, run) },
		Options: kafka.Options, Durability: kafka.Levels, Sockets: 4, // to produce, to consume, for the rest, and to the controller if that is another broker
		Decisive: decisiveOfKafka(),
		Bounds:   []Bound{{Option: "max-age", Value: "10m", Grows: "0s", Or: "retention"}},
	}
}

// ofPostgres returns the row of PostgreSQL.
func ofPostgres() Broker {
	return Broker{
		Name: "postgres", Schemes: []string{"postgres", "postgres+tls"}, Example: "postgres://postgres@127.0.0.1:5432/postgres",
		Ports:   []string{"5432", "5432"},
		Usual:   "postgres://postgres@127.0.0.1:5432/postgres",
		Summary: "PostgreSQL: a table a connection as a queue, or NOTIFY (option mode), through pgx",
		Open:    func(t target.Target, run string) (requester.Factory, error) { return postgres.New(t, run) },
		Options: postgres.Options, Durability: postgres.Levels, Sockets: 2, // to send, and to receive
		Modes: []string{"audit-table=true"},
		Decisive: []Decisive{
			{Name: "mode", Default: "table"},
			{Name: "synchronous-commit", Default: "server"},
			{Name: "send-batch", Default: "1"},
			{Name: "audit-table", Default: "false", Work: true},
		},
		Bounds: []Bound{{Option: "audit-table", Value: "false", Grows: "true"}},
	}
}

func decisiveOfRabbitMQ() []Decisive {
	return []Decisive{
		{Name: "confirm", Default: "false"},
		{Name: "durable", Default: "false"},
		{Name: "persistent", Default: "false"},
		{Name: "queue-type", Default: "classic"},
		{Name: "audit-queue", Default: "false"},
	}
}

// boundsOfQueues are those of RabbitMQ's queues. A level of durability has an audit queue, which keeps all messages.
func boundsOfQueues() []Bound {
	return []Bound{{Option: "max-length", Value: "10000", Grows: "0"}, {Option: "durability", Only: "as-set"}}
}

func decisiveOfKafka() []Decisive {
	return []Decisive{
		{Name: "acks", Default: "0"},
		{Name: "replication-factor", Default: "1"},
		{Name: "min-insync-replicas", Default: "0"},
		{Name: "flush-messages", Default: "0"},
		{Name: "transactions", Default: "none"},
	}
}

// optionsOfLoopback returns the options of a loopback target.
func optionsOfLoopback(string) []requester.Setting {
	return target.NewOptions("loopback", new(loopbackOptions).define).Settings()
}

// loopbackOptions are the options of a loopback target.
type loopbackOptions struct {
	cfg     loopback.Config
	freezes string
}

func (l *loopbackOptions) define(o target.Options) {
	o.DurationVar(&l.cfg.Delay, "delay", time.Duration(0), "from request to reply")
	o.StringVar(&l.freezes, "freeze", "", "when no reply comes, such as 1s@5s: for 1 s, 5 s after the first request; several with commas")
	o.Float64Var(&l.cfg.Drop, "drop", 0, "share of the replies that never come, 0 to 1")
	o.Float64Var(&l.cfg.Duplicate, "duplicate", 0, "share of the replies that come twice, 0 to 1")
	o.Float64Var(&l.cfg.Corrupt, "corrupt", 0, "share of the replies with one bit flipped, 0 to 1")
}

func openLoopback(t target.Target, _ string) (f requester.Factory, err error) {
	var l loopbackOptions
	if err = target.NewOptions("loopback", l.define).Apply(t.Query); err == nil {
		l.cfg.Freezes, err = loopback.ParseFreezes(l.freezes)
	}
	if err == nil {
		f, err = loopback.New(l.cfg)
	}
	return f, target.Explain(t, "reading options", err)
}

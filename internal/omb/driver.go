package omb

import (
	"fmt"
	"net"
	"path"
	"strings"
)

// readDriver reads the target and its options.
func (p *draft) readDriver(s *settings) {
	s.text("name", "")
	class, ok := s.take("driverClass")
	if !ok {
		s.refuse("driverClass", 0, "the file has none: is it a driver?")
	}
	name := strings.TrimPrefix(path.Ext(class.value), ".")
	read := map[string]func(*settings){
		"KafkaBenchmarkDriver": p.readKafka, "NatsBenchmarkDriver": p.readNATS, "RedisBenchmarkDriver": p.readRedis,
		"RabbitMqBenchmarkDriver": p.readRabbitMQ, "NsqBenchmarkDriver": p.readNSQ,
	}[name]
	switch {
	case read != nil:
		read(s)
		return
	case name == "NatsStreamingBenchmarkDriver":
		s.refuse("driverClass", class.line, "NATS Streaming has been discontinued: import a driver of NATS, and add stream=file to its options")
	case ok:
		s.refuse("driverClass", class.line, "brokerbench has no client for %s: write an adapter, exec:./COMMAND", name)
	}
	clear(s.left) // one reason is enough
}

// withoutPartitions says that a driver ignores partitions, which its product does not have.
func (p *draft) withoutPartitions() {
	if p.parts > 1 {
		p.note(fmt.Sprintf("The %d partitions of each topic are ignored, as the driver ignores them.", p.parts))
	}
}

func (p *draft) readNATS(s *settings) {
	p.target, p.url = "nats", "nats://"+strings.TrimPrefix(s.text("natsHostUrl", "localhost:4222"), "nats://")
	p.withoutPartitions()
	copies, stream := s.take("replicationFactor")
	if !stream { // the driver of old versions, which is that of core NATS
		return
	}
	p.option("stream", "file")
	p.option("replicas", copies.value)
	p.option("consumer", "push")
	if p.own = p.topics*p.producers*p.groups*p.consumer == 1; !p.own {
		s.refuse("replicationFactor", copies.line, "of JetStream, workloads with one topic, producer, subscription and consumer can be imported: others have a stream for each topic and groups of push consumers")
	}
}

func (p *draft) readRedis(s *settings) {
	p.target = "redis"
	host := net.JoinHostPort(s.text("redisHost", "localhost"), s.text("redisPort", "6379"))
	user := s.text("redisUser", "")
	if _, secret := s.take("redisPass"); secret {
		user += ":${REDIS_PASSWORD}@"
		p.note("Set REDIS_PASSWORD in the environment: passwords are not copied.")
	} else if user != "" {
		user = ""
		p.note("redisUser is left out: there, it is not used without redisPass.")
	}
	p.url = "redis://" + user + host
	p.withoutPartitions()
	pool := s.number("jedisPoolMaxTotal", 1, 8)
	s.text("jedisPoolMaxIdle", "") // of these
	p.note(fmt.Sprintf("There, all producers and consumers take turns on %d connections at most. Here, each has its connection.", pool))
	p.option("stream", "group")
	p.note("There, consumers acknowledge nothing (no XACK). Here, they do.")
}

func (p *draft) readRabbitMQ(s *settings) {
	p.target = "rabbitmq"
	uris, _ := s.take("amqpUris")
	if len(uris.items) != 1 {
		s.refuse("amqpUris", uris.line, "there, topics are spread over %d servers; here, all connections have one: want one URI", len(uris.items))
	} else {
		p.url = p.withoutPassword(uris.items[0])
	}
	if p.parts > 1 {
		s.refuse("", 0, "queues of RabbitMQ have no partitions, and the workload has %d for each topic", p.parts)
	}
	if p.own = p.producers*p.groups*p.consumer == 1; !p.own && p.topics > 1 {
		s.refuse("", 0, "of RabbitMQ, a group has one queue here, and a queue for each of %d topics there: want one topic, or one producer and one consumer for each", p.topics)
	}
	p.option("exchange", "fanout")
	p.option("confirm", "true")
	p.option("durable", "true")
	p.option("persistent", s.text("messagePersistence", "false"))
	p.option("queue-type", strings.ToLower(s.text("queueType", "CLASSIC")))
	for _, key := range []string{"producerCreationDelay", "producerCreationBatchSize", "consumerCreationDelay", "consumerCreationBatchSize"} {
		s.text(key, "") // how fast connections are made, before the measurement
	}
	p.note("There, all producers and consumers are channels of one connection. Here, each has its connection.")
}

// withoutPassword returns a URL with a variable in place of its password.
func (p *draft) withoutPassword(uri string) string {
	scheme, rest, _ := strings.Cut(uri, "://")
	at := strings.LastIndexByte(rest, '@')
	if at < 0 {
		return uri
	}
	user, host := rest[:at], rest[at+1:]
	name, password, _ := strings.Cut(user, ":")
	if strings.HasPrefix(password, "${") { // it is a variable
		return uri
	}
	p.note("Set RABBITMQ_PASSWORD in the environment: passwords are not copied.")
	return fmt.Sprintf("%s://%s:${RABBITMQ_PASSWORD}@%s", scheme, name, host)
}

func (p *draft) readNSQ(s *settings) {
	host := s.text("nsqdHost", "localhost")
	p.target, p.url = "nsq", "nsq://"+net.JoinHostPort(host, "4150")
	p.option("max-in-flight", "200") // of the Java client
	s.only("lookupHost", "consumers here connect to nsqd itself: want the host of nsqdHost", host)
	p.withoutPartitions()
}

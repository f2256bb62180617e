package omb

import (
	"strconv"
	"strings"
)

// readKafka reads the settings of the Java client.
func (p *draft) readKafka(s *settings) {
	p.target, p.url = "kafka", "kafka://"+strings.ReplaceAll(s.text("commonConfig.bootstrap.servers", "localhost:9092"), " ", "")
	s.only("commonConfig.security.protocol", "name TLS and SASL in the URL of the plan, where passwords are variables", "PLAINTEXT")
	p.option("partitions", strconv.Itoa(p.parts))
	p.option("replication-factor", s.text("replicationFactor", "1"))
	s.text("reset", "")                               // the topics of a run are its own
	s.text("commonConfig.default.api.timeout.ms", "") // of calls that no message waits for
	p.readProducer(s)
	p.readConsumer(s)
}

// acks returns the acknowledgements that producers wait for. Their default depends on the version of the client.
func (p *draft) acks(s *settings) string {
	one, ok := s.take("producerConfig.acks")
	if !ok {
		s.refuse("producerConfig.acks", 0, "the file has none, and the default of Java's client depends on its version: add it")
	}
	if one.value == "-1" {
		return "all"
	}
	return one.value
}

func (p *draft) readProducer(s *settings) {
	acks := p.acks(s)
	p.option("acks", acks)
	if least, ok := s.take("topicConfig.min.insync.replicas"); ok && acks == "all" {
		p.option("min-insync-replicas", least.value)
	}
	if s.left["topicConfig.flush.messages"].value == "1" {
		s.text("topicConfig.flush.ms", "") // each message is on disk at once
	}
	for _, key := range [][2]string{
		{"topicConfig.flush.messages", "flush-messages"}, {"producerConfig.compression.type", "compression"}, {"producerConfig.enable.idempotence", "idempotent"},
	} {
		if one, ok := s.take(key[0]); ok {
			p.option(key[1], one.value)
		} else if key[1] == "idempotent" && acks == "all" {
			p.note("enable.idempotence is not set, which Java's clients from 3.0 on take for true. Here, it is false.")
		}
	}
	p.milliseconds(s, "producerConfig.linger.ms", "linger")
	p.readBatch(s)
	p.readInFlight(s)
	s.only("producerConfig.retries", "the client retries until the message is given up: want 2147483647, or none", "2147483647")
}

// milliseconds takes a time.
func (p *draft) milliseconds(s *settings, key, option string) {
	if one, ok := s.take(key); ok {
		p.option(option, one.value+"ms")
	}
}

// readBatch reads the size of batches. Here, the option is the largest message of the topic, too.
func (p *draft) readBatch(s *settings) {
	one, ok := s.take("producerConfig.batch.size")
	if !ok {
		s.refuse("producerConfig.batch.size", 0, "the file has none: add batch.size=16384, the default of Java's client, or another one")
		return
	}
	const overhead = 1 << 10 // of a batch and a message, with the stamp
	switch n, err := strconv.Atoi(one.value); {
	case err != nil:
		s.refuse("producerConfig.batch.size", one.line, "%q: want a number of bytes", one.value)
	case n < p.size+overhead:
		s.refuse("producerConfig.batch.size", one.line, "%d: a message of %d bytes needs a batch of %d here", n, p.size, p.size+overhead)
	default:
		p.option("max-message-bytes", one.value)
	}
}

func (p *draft) readInFlight(s *settings) {
	const key = "producerConfig.max.in.flight.requests.per.connection"
	one, ok := s.take(key)
	if !ok {
		return
	}
	if strings.Contains(strings.Join(p.options, " "), `idempotent: "true"`) && one.value != "5" {
		s.refuse(key, one.line, "%s: with enable.idempotence the client has 5 requests in flight", one.value)
		return
	}
	p.option("requests-in-flight", one.value)
}

func (p *draft) readConsumer(s *settings) {
	s.only("consumerConfig.auto.offset.reset", "consumers are there before the first message", "earliest", "latest")
	s.only("consumerConfig.enable.auto.commit", "the members of a group commit themselves", "false")
	p.milliseconds(s, "consumerConfig.fetch.max.wait.ms", "fetch-max-wait")
	for _, key := range [][2]string{{"fetch.min.bytes", "fetch-min-bytes"}, {"max.partition.fetch.bytes", "fetch-max-partition-bytes"}, {"isolation.level", "isolation"}} {
		if one, ok := s.take("consumerConfig." + key[0]); ok {
			p.option(key[1], one.value)
		}
	}
}

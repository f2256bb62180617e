package omb

import (
	"fmt"
	"strconv"
	"strings"
)

// readWorkload reads the load. Defaults are those of the benchmark's Workload.java.
func (p *draft) readWorkload(s *settings) {
	s.text("name", "")
	p.topics, p.parts = s.number("topics", 1, 0), s.number("partitionsPerTopic", 1, 0)
	p.producers, p.groups, p.consumer = s.number("producersPerTopic", 1, 0), s.number("subscriptionsPerTopic", 1, 0), s.number("consumerPerSubscription", 1, 0)
	p.size = s.number("messageSize", 1, 0)
	p.minutes, p.warmup = s.number("testDurationMinutes", 1, 0), s.number("warmupDurationMinutes", 0, 1)
	p.readRate(s)
	p.readBacklog(s)
	p.readPayload(s)
	p.readKeys(s)
}

func (p *draft) readRate(s *settings) {
	line := s.left["producerRate"].line
	if p.rate = s.number("producerRate", 0, -1); p.rate == 0 {
		s.refuse("producerRate", line, "0 asks for the highest rate: set a rate, or look for the highest one with `brokerbench search TARGET --slo 'p99<10ms' --size %d --connections %d`",
			p.size, p.topics*p.producers)
	}
}

// readBacklog reads a backlog of all subscriptions together, in units of 1024³ bytes.
func (p *draft) readBacklog(s *settings) {
	line := s.left["consumerBacklogSizeGB"].line
	if p.backlog = s.number("consumerBacklogSizeGB", 0, 0); p.backlog == 0 {
		return
	}
	if p.groups > 1 {
		s.refuse("consumerBacklogSizeGB", line, "there, all %d subscriptions are away while it is stored; here, one group is", p.groups)
	}
	s.only("backlogDrainRatio", "the drain ends when all of the backlog is delivered", "1", "1.0")
	p.note("There, the test goes on for its duration after the drain. Here, the drain is in the duration.")
}

// readPayload reads the content of messages: a file, or random bytes beside zeros.
func (p *draft) readPayload(s *settings) {
	file, hasFile := s.take("payloadFile")
	random := strings.ToLower(s.text("useRandomizedPayloads", "false"))
	ratio, hasRatio := s.take("randomBytesRatio")
	_, _ = s.take("randomizedPayloadPoolSize") // messages here have contents of their own
	switch {
	case random == "true":
		p.readRatio(s, ratio, hasRatio)
	case hasFile:
		p.note(fmt.Sprintf("Random bytes stand in for the payload %s, whose content matters only if something compresses it; `payload: file:DIR` sends files.", oneLine(file.value)))
	}
}

func (p *draft) readRatio(s *settings, ratio setting, given bool) {
	share, err := strconv.ParseFloat(ratio.value, 64)
	switch {
	case !given || err != nil || share <= 0 || share > 1:
		s.refuse("randomBytesRatio", ratio.line, "%q: want a share above 0, and 1 at most, of random bytes", ratio.value)
	case share < 1:
		p.payload = fmt.Sprintf("compressible(%s)", strings.TrimRight(strconv.FormatFloat(share, 'f', 3, 64), "0"))
	}
}

// readKeys reads the distribution of keys: the benchmark has 10,000.
func (p *draft) readKeys(s *settings) {
	one, _ := s.take("keyDistributor")
	switch one.value {
	case "", "NO_KEY":
	case "RANDOM_NANO":
		p.keys = "10000"
	default:
		s.refuse("keyDistributor", one.line, "%s: keys are drawn at random here, as by RANDOM_NANO", one.value)
	}
}

//go:build linux

package faults

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"

	amqp "github.com/rabbitmq/amqp091-go"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// leftOvers returns what the broker still has of an attempt's runs.
func (b *broker) leftOvers(a *attempt) (left []string) {
	if n := b.connections(); n > b.idle {
		left = append(left, fmt.Sprintf("%d connections", n-b.idle))
	}
	for _, prefix := range a.prefixes() {
		switch b.name {
		case "kafka":
			left = append(left, b.topics(prefix)...)
		case "rabbitmq":
			left = append(left, b.queues(prefix)...)
		case "redis":
			out := b.redis("pubsub", "channels", prefix+"*")
			left = append(left, strings.Fields(out)...)
		}
	}
	return left
}

// kafka calls do with an administrator of the broker.
func (b *broker) kafka(do func(context.Context, *kadm.Client) error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	_, seed, _ := strings.Cut(b.url(), "://")
	client, err := kgo.NewClient(kgo.SeedBrokers(seed))
	if err != nil {
		b.t.Error(err)
		return
	}
	defer client.Close()
	if err := do(ctx, kadm.NewClient(client)); err != nil {
		b.t.Errorf("asking Kafka: %v", err)
	}
}

func (b *broker) topics(prefix string) (found []string) {
	b.kafka(func(ctx context.Context, admin *kadm.Client) error {
		topics, err := admin.ListTopics(ctx)
		found = slices.DeleteFunc(topics.Names(), func(name string) bool { return !strings.HasPrefix(name, prefix) })
		return err
	})
	return found
}

// rabbitmq calls do with a channel of the broker.
func (b *broker) rabbitmq(do func(*amqp.Channel) error) error {
	c, err := amqp.Dial(b.plain.String())
	if err != nil {
		b.t.Errorf("asking RabbitMQ: %v", err)
		return nil
	}
	defer c.Close()
	channel, err := c.Channel()
	if err != nil {
		b.t.Errorf("asking RabbitMQ: %v", err)
		return nil
	}
	return do(channel)
}

// queues returns the queues of a run that exist. One that belongs to another
// connection is locked.
func (b *broker) queues(prefix string) (found []string) {
	for n := range connections {
		name := prefix + fmt.Sprint(n)
		err := b.rabbitmq(func(c *amqp.Channel) error {
			_, err := c.QueueDeclarePassive(name, false, false, false, false, nil)
			return err
		})
		var refused *amqp.Error
		if !errors.As(err, &refused) || refused.Code != amqp.NotFound {
			found = append(found, name)
		}
	}
	return found
}

// redis runs a command of redis-cli and returns its answer.
func (b *broker) redis(args ...string) string {
	return b.tool(exec.Command("redis-cli", append([]string{"-p", b.plain.Port()}, args...)...))
}

// rabbitmqctl runs a command of that name.
func (b *broker) rabbitmqctl(args ...string) string {
	cmd := exec.Command("/usr/lib/rabbitmq/bin/rabbitmqctl", append([]string{"-q", "-n", "brokerbench@localhost"}, args...)...)
	cmd.Env = []string{
		"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8", "HOME=" + b.file("home"), "ERL_EPMD_ADDRESS=127.0.0.1",
		"ERL_EPMD_PORT=" + b.portOf("epmd"), "RABBITMQ_CONF_ENV_FILE=/dev/null",
	}
	return b.tool(cmd)
}

func (b *broker) tool(cmd *exec.Cmd) string {
	out, err := cmd.CombinedOutput()
	if err != nil {
		b.t.Errorf("%s: %v: %s", strings.Join(cmd.Args, " "), err, out)
	}
	return string(out)
}

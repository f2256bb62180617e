//go:build linux

package main

import (
	"context"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// redisByHand publishes through go-redis's pipeline, and takes messages from a subscription.
func redisByHand(ctx context.Context, url string, received, _ func()) (link, error) {
	client, pipeline, err := redisClient(url)
	if err != nil {
		return link{}, err
	}
	channel := unique()
	subscription := client.Subscribe(ctx, channel)
	l := link{
		publish: func(payload []byte) error {
			pipeline.Publish(ctx, channel, payload)
			return nil // after an error a reply is missing
		},
		close: func() { _, _ = subscription.Close(), client.Close() },
	}
	if _, err := subscription.Receive(ctx); err != nil {
		return l, err
	}
	go func() {
		for {
			if _, err := subscription.ReceiveMessage(ctx); err != nil {
				return // closed; after another error replies are missing
			}
			received()
		}
	}()
	return l, nil
}

// redisClient returns a client, and its pipeline that sends commands without waiting for
// the replies to earlier ones.
func redisClient(url string) (*redis.Client, *redis.AutoPipeliner, error) {
	o, err := redis.ParseURL(withoutOptions(url))
	if err != nil {
		return nil, nil, err
	}
	o.Protocol = 2
	o.ReadTimeout = -1 // readers wait for messages without a limit
	o.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	client := redis.NewClient(o)
	pipelining := redis.DefaultAutoPipelineOptions()
	pipelining.FullDuplex = true
	pipeline, err := client.AsyncAutoPipelineWithOptions(pipelining)
	return client, pipeline, err
}

// streamByHand is Redis Streams: XADD through the pipeline, whose replies are the
// acknowledgements, and XREAD; or, with a group, XREADGROUP with the XACK of the messages
// that the one before it returned.
func streamByHand(grouped bool) dial {
	return func(ctx context.Context, url string, received, acked func()) (link, error) {
		client, pipeline, err := redisClient(url)
		if err != nil {
			return link{}, err
		}
		key, read := unique(), readStream
		if grouped {
			read = readGroup
			if err := client.XGroupCreateMkStream(ctx, key, key, "0").Err(); err != nil {
				_ = client.Close()
				return link{}, err
			}
		}
		go read(ctx, client, key, received)
		pending := make(chan *redis.StringCmd, acksPending)
		go func() {
			for p := range pending {
				if p.Err() == nil {
					acked()
				}
			}
		}()
		return link{
			publish: func(payload []byte) error {
				pending <- pipeline.XAdd(ctx, &redis.XAddArgs{Stream: key, Values: []any{"m", payload}})
				return nil
			},
			close: func() {
				close(pending)
				_, _ = client.Unlink(context.WithoutCancel(ctx), key), client.Close()
			},
		}, nil
	}
}

// readStream reads a stream until its client is closed.
func readStream(ctx context.Context, client *redis.Client, key string, received func()) {
	for last := "0"; ; {
		streams, err := client.XRead(ctx, &redis.XReadArgs{Streams: []string{key, last}, Count: 100}).Result()
		if err != nil {
			return
		}
		for _, m := range streams[0].Messages {
			last = m.ID
			received()
		}
	}
}

// readGroup reads a stream as a group until its client is closed.
func readGroup(ctx context.Context, client *redis.Client, key string, received func()) {
	for done := []string(nil); ; {
		var read *redis.XStreamSliceCmd
		_, err := client.Pipelined(ctx, func(p redis.Pipeliner) error {
			if len(done) > 0 {
				p.XAck(ctx, key, key, done...)
			}
			read = p.XReadGroup(ctx, &redis.XReadGroupArgs{Group: key, Consumer: key, Streams: []string{key, ">"}, Count: 100})
			return nil
		})
		if err != nil {
			return
		}
		done = done[:0]
		for _, m := range read.Val()[0].Messages {
			done = append(done, m.ID)
			received()
		}
	}
}

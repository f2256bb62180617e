package redis

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"
)

var (
	errBulk   = errors.New("proto-max-bulk-len")
	errOutput = errors.New("client-output-buffer-limit")
)

// limits are the sizes that the server accepts. 0 means no limit, or one that the
// server does not reveal: then messages get the server's own error.
type limits struct {
	bulk   int64 // bytes of a message that is sent
	output int64 // bytes that may wait for a subscriber, who is disconnected beyond it
}

// replyOverhead is how much longer than its payload a message can be in the
// server's output buffer, with the names of our channels.
const replyOverhead = 512

// check returns an error if a message of size bytes can never arrive.
func (l *limits) check(size int) error {
	if l.bulk > 0 && int64(size) > l.bulk {
		return fmt.Errorf("%d B are more than the %d B of %w", size, l.bulk, errBulk)
	}
	if l.output > 0 && int64(size)+replyOverhead > l.output {
		return fmt.Errorf("%d B, with up to %d B of overhead, are more than the %d B of %w pubsub", size, replyOverhead, l.output, errOutput)
	}
	return nil
}

// readLimits asks for the limits. A user may lack the permission to ask.
func readLimits(ctx context.Context, client redis.Cmdable) (l limits) {
	l.bulk, _ = strconv.ParseInt(setting(ctx, client, errBulk.Error()), 10, 64)
	l.output = pubsubLimit(setting(ctx, client, errOutput.Error()))
	return l
}

func setting(ctx context.Context, client redis.Cmdable, name string) string {
	return client.ConfigGet(ctx, name).Val()[name]
}

// pubsubLimit returns the hard limit of subscribers in a value such as
// "normal 0 0 0 slave 268435456 67108864 60 pubsub 33554432 8388608 60".
func pubsubLimit(value string) int64 {
	fields := strings.Fields(value)
	for i, class := range fields {
		if class == "pubsub" && i+1 < len(fields) {
			hard, _ := strconv.ParseInt(fields[i+1], 10, 64)
			return hard
		}
	}
	return 0
}

// readDisconnections returns how many clients the server has disconnected because
// of client-output-buffer-limit, if it says so: Redis 7.0 does not.
func readDisconnections(ctx context.Context, client redis.Cmdable) (n int64, known bool) {
	n, err := strconv.ParseInt(field(client.Info(ctx, "stats").Val(), "client_output_buffer_limit_disconnections"), 10, 64)
	return n, err == nil
}

// field returns the value of the line "name:value" in the output of INFO.
func field(info, name string) string {
	for line := range strings.Lines(info) {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), ":"); ok && key == name {
			return value
		}
	}
	return ""
}

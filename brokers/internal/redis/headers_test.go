package redis

import (
	"testing"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/redis/go-redis/v9"
)

func TestMessagesHaveHeaders(t *testing.T) {
	for _, options := range []string{"stream=read", "stream=group", "stream=group&protocol=3"} {
		t.Run(options, func(t *testing.T) {
			t.Parallel()
			brokertest.Headers(t, openURL(t, serve(t).url("", "?"+options)))
		})
	}
}

func TestChannelsHaveNoHeaders(t *testing.T) {
	err := requester.Carry(openURL(t, "redis://h"), requester.Headers{Stamp: true})
	brokertest.WantError(t, err, "messages of channels have no headers: use the option stream=read or stream=group")
}

// The stream gets the content alone, and the stamp and the headers as other fields.
func TestTheEntryOfAPayload(t *testing.T) {
	f := openURL(t, serve(t).url("", "?stream=read"))
	f.headers = requester.Headers{Stamp: true, Fixed: brokertest.Fixed()}
	client := redis.NewClient(f.clientOptions(nil))
	defer client.Close()
	if err := client.XAdd(t.Context(), &redis.XAddArgs{Stream: "entries", Values: f.fields(brokertest.Payload())}).Err(); err != nil {
		t.Fatal(err)
	}
	entries, err := client.XRange(t.Context(), "entries", "-", "+").Result()
	if err != nil || len(entries) != 1 || len(entries[0].Values) != 4 {
		t.Fatal(entries, err)
	}
	brokertest.WantMessage(t, []byte(entries[0].Values[field].(string)), func(name string) string { return entries[0].Values[name].(string) })
}

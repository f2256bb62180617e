//go:build linux

package main

import (
	"context"

	"github.com/nats-io/nats.go"
)

// natsByHand is nats.go with its defaults, but that it drops nothing: Publish,
// which hands over to the flusher, and a subscription with a callback.
func natsByHand(_ context.Context, url string, received, _ func()) (link, error) {
	client, err := nats.Connect(withoutOptions(url))
	if err != nil {
		return link{}, err
	}
	subject := nats.NewInbox()
	subscription, err := client.Subscribe(subject, func(*nats.Msg) { received() })
	if err == nil {
		err = subscription.SetPendingLimits(-1, -1)
	}
	if err == nil {
		err = client.Flush()
	}
	if err != nil {
		client.Close()
		return link{}, err
	}
	return link{publish: func(payload []byte) error { return client.Publish(subject, payload) }, close: client.Close}, nil
}

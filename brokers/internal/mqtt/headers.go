package mqtt

import (
	"errors"
	"fmt"

	"github.com/eclipse/paho.golang/packets"
	"github.com/eclipse/paho.golang/paho"

	"github.com/brokerbench/brokerbench/requester"
)

// headerOverhead is what a user property has besides its name and value: its kind, and the length of both.
const headerOverhead = 5

// TakeHeaders implements [requester.HeaderTaker]: they are user properties.
func (f *Factory) TakeHeaders(h requester.Headers) error {
	for _, one := range h.Fixed {
		if len(one.Value) >= 1<<16 {
			return fmt.Errorf("a header of %d B is longer than the %d B that MQTT allows", len(one.Value), 1<<16-1)
		}
	}
	f.headers = h
	return nil
}

// TakeKeys implements [requester.KeyTaker].
func (f *Factory) TakeKeys(requester.Keys) error { return errors.New("messages of MQTT have no keys") }

// dress gives a message the content and the user properties of a payload.
func dress(message *paho.Publish, h requester.Headers, payload []byte) {
	message.Payload, message.Properties = payload, nil
	if h.None() {
		return
	}
	message.Properties = new(paho.PublishProperties)
	stamp, content := h.Split(payload)
	if message.Payload = content; stamp != "" {
		message.Properties.User.Add(requester.StampHeader, stamp)
	}
	for _, one := range h.Fixed {
		message.Properties.User.Add(one.Name, one.Value)
	}
}

// stampOf returns the stamp of a message that was delivered, if it is a user property; else "".
func stampOf(message *paho.Publish) string {
	if message.Properties == nil {
		return ""
	}
	return message.Properties.User.Get(requester.StampHeader)
}

// headOf returns the head of the payload of a message that is sent.
func headOf(message *packets.Publish) []byte {
	if message.Properties != nil {
		for _, one := range message.Properties.User {
			if one.Key == requester.StampHeader {
				return requester.Join(nil, one.Value, nil)
			}
		}
	}
	return message.Payload
}

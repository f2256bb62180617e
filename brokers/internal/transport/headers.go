package transport

import "github.com/brokerbench/brokerbench/requester"

// Properties divides a payload into the headers of its message, as clients of AMQP take them, and the message.
// Probes, which are too short for a request, have none.
func Properties(h requester.Headers, payload []byte) (properties map[string]any, message []byte) {
	if h.None() || len(payload) < requester.StampSize {
		return nil, payload
	}
	stamp, message := h.Split(payload)
	properties = make(map[string]any, 1+len(h.Fixed))
	if stamp != "" {
		properties[requester.StampHeader] = stamp
	}
	for _, one := range h.Fixed {
		properties[one.Name] = one.Value
	}
	return properties, message
}

// StampOf returns the stamp among the properties of a message; "" if it is none of them.
func StampOf(properties map[string]any) string {
	stamp, _ := properties[requester.StampHeader].(string)
	return stamp
}

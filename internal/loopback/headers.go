package loopback

import "github.com/brokerbench/brokerbench/requester"

// TakeHeaders implements requester.HeaderTaker: payloads come back with their stamps, and there is no wire on
// which headers would be bytes.
func (f *Factory) TakeHeaders(requester.Headers) error { return nil }

// TakeKeys implements requester.KeyTaker: messages keep their order, whatever their keys are.
func (f *Factory) TakeKeys(requester.Keys) error { return nil }

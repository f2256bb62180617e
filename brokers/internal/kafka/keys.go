package kafka

import "github.com/brokerbench/brokerbench/requester"

// TakeKeys implements [requester.KeyTaker].
func (f *Factory) TakeKeys(k requester.Keys) error {
	f.dress.Keys = k
	return nil
}

// TakeHeaders implements [requester.HeaderTaker].
func (f *Factory) TakeHeaders(h requester.Headers) error {
	f.dress.SetHeaders(h)
	return nil
}

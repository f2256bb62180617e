package cluster

import (
	"errors"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
)

// Topics that others delete while they are listed are no error; anything else is.
func TestBesidesGone(t *testing.T) {
	failed := func(errs ...error) error {
		s := &kadm.ShardErrors{Name: "ListOffsets"}
		for _, err := range errs {
			s.Errs = append(s.Errs, kadm.ShardError{Err: err})
		}
		return s
	}
	gone, other := error(kerr.UnknownTopicOrPartition), errors.New("other")
	for _, err := range []error{nil, failed(gone), failed(gone, gone)} {
		if got := besidesGone(err); got != nil {
			t.Errorf("%v is an error: %v", err, got)
		}
	}
	for _, err := range []error{other, failed(other), failed(gone, other)} {
		if got := besidesGone(err); !errors.Is(got, err) {
			t.Errorf("%v is %v", err, got)
		}
	}
}

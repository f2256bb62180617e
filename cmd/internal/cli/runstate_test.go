package cli

import (
	"testing"
	"time"
)

// Who resumes a run places agents as who began it did.
func TestTheStateOfARunHasItsFlags(t *testing.T) {
	began := agentsFlags{spec: "k8s", n: 3, context: "mine", control: "listen://h:4777", onLoss: "keep", maxSkew: 1, lease: time.Second, wait: time.Minute}
	r := &runState{
		Agents: began.spec, N: began.n, Context: began.context, Control: began.control, OnLoss: began.onLoss, MaxSkew: began.maxSkew,
		Lease: began.lease, Wait: began.wait,
	}
	got, err := r.flags()
	if err != nil || got.where == nil || got.where.n != 3 {
		t.Fatalf("%+v, %v", got, err)
	}
	if got.where = nil; got != began {
		t.Errorf("%+v, want %+v", got, began)
	}
}

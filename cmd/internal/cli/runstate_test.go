package cli

import "testing"

// Who resumes a run places agents as who began it did.
func TestTheStateOfARunHasItsFlags(t *testing.T) {
	began := agentsFlags{spec: "k8s", n: 3, context: "mine", control: "listen://h:4777", onLoss: "keep", maxSkew: 1, lease: 2, wait: 3}
	r := &runState{
		Agents: began.spec, N: began.n, Context: began.context, Control: began.control, OnLoss: began.onLoss, MaxSkew: began.maxSkew,
		Lease: began.lease, Wait: began.wait,
	}
	if got := r.flags(); got != began {
		t.Errorf("%+v, want %+v", got, began)
	}
}

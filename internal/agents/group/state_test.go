package group

import (
	"encoding/json"
	"testing"
	"time"
)

// A process that resumes a run places its agents as the first one did.
func TestTheStateOfARunHasItsOptions(t *testing.T) {
	began := Options{Agents: "k8s:3", Context: "mine", Control: "listen://h:4777", OnLoss: "keep", MaxSkew: 1, Lease: time.Second, Wait: time.Minute}
	text, err := json.Marshal(State{Options: began})
	var got State
	if err != nil || json.Unmarshal(text, &got) != nil || got.Options != began {
		t.Fatalf("%s, %v: %+v, want %+v", text, err, got.Options, began)
	}
	if where, err := got.Parse(); err != nil || where.N != 3 {
		t.Errorf("%+v, %v", where, err)
	}
}

package adapter

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/brokers/target"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/requestertest"
)

func TestAnAdapterWithoutAnAudit(t *testing.T) {
	f := behaving(t, "echo")
	requestertest.Connect(t, f, 0)
	if err := f.Audit(t.Context(), nil); !errors.Is(err, requester.ErrKeepsNothing) {
		t.Error(err)
	}
}

// An audit that is not one ends with a line that says why; the error after it is the same.
func TestAuditsThatFail(t *testing.T) {
	for how, want := range map[string]string{
		"audit-dies": "the adapter has ended: exit status 3: the disk is gone", "audit-refuses": "the topic is gone",
		"audit-garbage": "not a frame: \"reading the store", "audit-stranger": "of an audit for connection 0", "audit-endless": "does not answer",
	} {
		t.Run(how, func(t *testing.T) {
			f := behaving(t, how)
			l := requestertest.Connect(t, f, 0)
			l.Send(t, requestertest.Payload(0, 0, 100))
			ctx, limit := t.Context(), 20*time.Second
			if how == "audit-endless" {
				limit = 300 * time.Millisecond
			}
			ctx, cancel := context.WithTimeout(ctx, limit)
			defer cancel()
			requestertest.WantError(t, f.Audit(ctx, func([]byte) {}), "auditing", want)
			child := f.child
			l.End(t)
			select {
			case <-child.exited:
			case <-time.After(10 * time.Second):
				t.Error("the adapter goes on")
			}
		})
	}
}

// An adapter is told the level; one that states less, or nothing, is not measured.
func TestDurability(t *testing.T) {
	level := func(how, query string) (*requester.Backing, error) {
		parsed, err := target.Parse("exec:" + behaving(t, how).target.Command + " ?" + query)
		if err != nil {
			t.Fatal(err)
		}
		f, err := New(parsed, "run")
		if err != nil {
			t.Fatal(err)
		}
		d, err := f.Describe(t.Context())
		return d.Durability, err
	}
	if b, err := level("limits", "durability=accepted"); err != nil || b.Promised() != requester.Accepted || len(b.NotVerified) != 1 {
		t.Errorf("%+v, %v", b, err)
	}
	if b, err := level("limits", "durability=machine&durability-check=false"); err != nil || b.Promised() != requester.Process {
		t.Errorf("%+v, %v", b, err)
	}
	_, err := level("limits", "durability=machine")
	requestertest.WantError(t, err, "durability=machine", "the adapter states process")
	_, err = level("echo", "durability=accepted")
	requestertest.WantError(t, err, "durability=accepted", "states no durability")
	if b, err := level("echo", ""); err != nil || b != nil {
		t.Errorf("%+v, %v", b, err)
	}
}

package notes

import (
	"fmt"
	"strings"
	"testing"
)

func TestEventLogIsBounded(t *testing.T) {
	var l Log
	for i := range 150 {
		l.Add(fmt.Sprintf("event %d", i))
	}
	events := l.All()
	if len(events) != 101 || events[0].Text != "event 0" || !strings.HasPrefix(events[100].Text, "50 more") {
		t.Errorf("%d events, the last %+v", len(events), events[len(events)-1])
	}
	l.Keep("tearing down")
	if kept := l.All(); len(kept) != 102 || kept[100].Text != "tearing down" {
		t.Errorf("%d events, want the kept one before the last: %+v", len(kept), kept[len(kept)-2:])
	}
	events[0].Text = "changed"
	if l.All()[0].Text != "event 0" {
		t.Error("all returns the log's slice")
	}
}

package record

import (
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/load"
)

// Ten thousand connections that are lost twice make 60,000 events: cell.json must
// stay of a size that is read.
func TestEventsAreBounded(t *testing.T) {
	var out load.Outcome
	for i := range 60_000 {
		out.Events = append(out.Events, requester.Event{At: time.Unix(int64(i), 0), Text: "disconnected"})
	}
	list := events(out, strings.ToUpper)
	if len(list) != mostEvents+1 || list[0].Text != "DISCONNECTED" || list[mostEvents].Text != "50000 more events, not kept" {
		t.Errorf("%d events, the last %+v", len(list), list[len(list)-1])
	}
}

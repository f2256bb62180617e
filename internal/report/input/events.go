package input

import (
	"time"

	"github.com/brokerbench/brokerbench/internal/source"
)

// An Event happened on a connection, such as a disconnect, or it belongs to a fault: its
// beginning or a step of the recovery.
type Event struct {
	At    time.Duration // from the log's start
	Text  string
	Fault bool // it is of a fault
}

func eventsOf(s source.Source) (list []Event) {
	if s.Cell == nil {
		return nil
	}
	for _, e := range s.Cell.FaultEvents() {
		list = append(list, Event{time.Duration(e.AtNS), e.Text, true})
	}
	for _, e := range s.Cell.Events {
		list = append(list, Event{time.Duration(e.AtNS), e.Text, false})
	}
	return list
}

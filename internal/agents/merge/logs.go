package merge

import (
	"errors"
	"fmt"
	"io"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/record"
)

// agentLogs are the interval logs of agents, which are read side by side: of each only the
// next entry is in memory.
type agentLogs []*agentLog

// An agentLog is the log of one agent.
type agentLog struct {
	part  Part
	file  io.Closer
	log   *histogram.LogReader
	next  histogram.Line
	ended bool
	held  [record.AllSeries]int64 // how many values of each series it held so far
}

// openLogs opens the logs of all agents that have one. After an error the caller closes
// those that it returns, too.
func openLogs(parts []Part) (list agentLogs, err error) {
	for _, p := range parts {
		if p.Cell == nil {
			continue
		}
		file, err := p.Log()
		if err != nil {
			return list, fmt.Errorf("agent %s: %w", p.Name, err)
		}
		l := &agentLog{part: p, file: file, log: histogram.NewLogReader(file)}
		list = append(list, l)
		if err := l.read(); err != nil {
			return list, fmt.Errorf("agent %s: %w", p.Name, err)
		}
	}
	return list, nil
}

func (list agentLogs) close() {
	for _, l := range list {
		_ = l.file.Close() // it was only read
	}
}

// read reads the next entry.
func (l *agentLog) read() (err error) {
	if l.next, err = l.log.NextLine(); errors.Is(err, io.EOF) {
		l.ended, err = true, nil
	}
	return err
}

// short says which agents' logs hold fewer values of a series than their results, and how many.
func (list agentLogs) short(series int) (text string) {
	for _, l := range list {
		if want := l.part.Cell.Series(record.Tags[series]).Count; l.held[series] != want {
			text += fmt.Sprintf("; agent %s: %d values of %d", l.part.Name, l.held[series], want)
		}
	}
	return text
}

// play calls add for each entry of the intervals that begin in a second, counted from 0,
// or before it; more tells whether there are later ones. Agents take an interval at each
// whole second of the schedule, all by the common start; one that stood still has a
// longer one.
func (list agentLogs) play(second int, add func(*agentLog) error) (more bool, err error) {
	for _, l := range list {
		for !l.ended && int(l.next.Start/record.Period) <= second {
			err := add(l)
			if err == nil {
				err = l.read()
			}
			if err != nil {
				return false, fmt.Errorf("agent %s: %w", l.part.Name, err)
			}
		}
		more = more || !l.ended
	}
	return more, nil
}

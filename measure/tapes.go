package measure

import (
	"errors"
	"fmt"
	"io"

	"github.com/brokerbench/brokerbench/histogram"
)

// hiccupTag is the tag of hiccups in the interval log.
const hiccupTag = "hiccup"

// tapes are the interval logs of agents, which are read side by side: of each only the
// next entry is in memory.
type tapes []*tape

// A tape is the log of one agent.
type tape struct {
	agent string
	file  io.Closer
	log   *histogram.LogReader
	next  histogram.Line
	ended bool
}

// openTapes opens the logs of all agents that have one. After an error the caller closes
// those that it returns, too.
func openTapes(parts []Part) (list tapes, err error) {
	for _, p := range parts {
		if p.Cell == nil {
			continue
		}
		file, err := p.Log()
		if err != nil {
			return list, fmt.Errorf("agent %s: %w", p.Name, err)
		}
		t := &tape{agent: p.Name, file: file, log: histogram.NewLogReader(file)}
		list = append(list, t)
		if err := t.read(); err != nil {
			return list, err
		}
	}
	return list, nil
}

func (list tapes) close() {
	for _, t := range list {
		_ = t.file.Close() // it was only read
	}
}

// read reads the next entry.
func (t *tape) read() (err error) {
	t.next, err = t.log.NextLine()
	switch {
	case errors.Is(err, io.EOF):
		t.ended = true
		return nil
	case err != nil:
		return fmt.Errorf("agent %s: %w", t.agent, err)
	}
	return nil
}

// shortLogs says which agents' logs hold fewer values under a tag than their results, and how many.
func shortLogs(parts []Part, tag string) (text string) {
	for _, p := range parts {
		if p.Cell == nil {
			continue
		}
		held, err := valuesOf(p, tag)
		if want := p.Cell.Series(tag).Count; err != nil {
			text += fmt.Sprintf("; %v", err)
		} else if held != want {
			text += fmt.Sprintf("; agent %s: %d values of %d", p.Name, held, want)
		}
	}
	return text
}

// valuesOf counts what an agent's log holds under a tag.
func valuesOf(p Part, tag string) (n int64, err error) {
	list, err := openTapes([]Part{p})
	defer list.close()
	var decoder histogram.Decoder
	sum := histogram.New()
	for err == nil && !list[0].ended {
		if list[0].next.Tag == tag {
			err = decoder.Add(list[0].next, sum)
		}
		if err == nil {
			err = list[0].read()
		}
	}
	return sum.Count(), err
}

// play calls add for each entry of the intervals that begin in a second, counted from 0,
// or before it; more tells whether there are later ones. Agents take an interval at each
// whole second of the schedule, all by the common start; one that stood still has a
// longer one.
func (list tapes) play(second int, add func(histogram.Line) error) (more bool, err error) {
	for _, t := range list {
		for !t.ended && int(t.next.Start/period) <= second {
			if err := add(t.next); err != nil {
				return false, fmt.Errorf("agent %s: %w", t.agent, err)
			}
			if err := t.read(); err != nil {
				return false, err
			}
		}
		more = more || !t.ended
	}
	return more, nil
}

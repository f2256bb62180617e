//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"sync"
)

// An entry is one cut of a broker's power.
type entry struct {
	Cut, Broker, Version string
	Acked, Lost          int64
	Witness              string
	Problem              string // why the losses are not known; "": they are
}

func newEntry(c cut, name string, o outcome) entry {
	e := entry{Cut: c.String(), Broker: name, Version: o.version, Witness: o.witness}
	if o.audit == nil || o.audit.Error != "" {
		e.Problem = o.String()
		return e
	}
	e.Acked, e.Lost = o.audit.Acked, o.audit.Missing
	return e
}

// A journal is a file of entries, a line each, so that an hour of cuts can be interrupted. Its methods may be
// called concurrently.
type journal struct {
	mu      sync.Mutex
	entries []entry
	*os.File
}

// openJournal opens a journal, and creates it if it does not exist. A last line that was cut short does not count.
func openJournal(name string) (*journal, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644) //nolint:gosec // nothing secret
	if err != nil {
		return nil, err
	}
	j := &journal{File: f}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	end := bytes.LastIndexByte(text, '\n') + 1
	for line := range bytes.Lines(text[:end]) {
		var e entry
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, fmt.Errorf("%s: %w: remove it to begin anew", name, err)
		}
		j.entries = append(j.entries, e)
	}
	return j, f.Truncate(int64(end))
}

// add adds an entry.
func (j *journal) add(e entry) error {
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.entries = append(j.entries, e)
	_, err = j.Write(append(line, '\n'))
	return err
}

// of returns the entries of a broker and a kind of cut.
func (j *journal) of(c cut, name string) (list []entry) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, e := range j.entries {
		if e.Cut == c.String() && e.Broker == name {
			list = append(list, e)
		}
	}
	return list
}

//go:build linux

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/process"
)

// A verdict is what brokerbench says of a cell.
type verdict struct {
	Cell, Verdict string
	Causes        []struct{ Cause, Where string }
}

// place returns where a cause is: all nodes are one place.
func place(where string) string {
	if where == client || where == machine {
		return where
	}
	return node
}

// why returns what brokerbench says of the cells of a run.
func (r rig) why(ctx context.Context, folder string) (cells []verdict, err error) {
	text, err := process.Output(ctx, "", r.program, "why", folder, "--format", "json")
	if err != nil {
		return nil, err
	}
	var said struct{ Cells []verdict }
	err = json.Unmarshal([]byte(text), &said)
	slices.SortFunc(said.Cells, func(a, b verdict) int { return repeat(a.Cell) - repeat(b.Cell) })
	return said.Cells, err
}

// repeat returns the number at the end of a cell's name.
func repeat(cell string) int {
	n, _ := strconv.Atoi(cell[strings.LastIndex(cell, "-r")+2:]) // 0 has no such cell
	return n
}

// judge has brokerbench name the causes of a run's cells, and counts them.
func (r rig) judge(ctx context.Context, t truth, s *score) error {
	said, err := r.why(ctx, t.Folder)
	if err != nil {
		return err
	}
	if len(said) != len(t.Cells) {
		return fmt.Errorf("why says something of %d cells, and %d were measured", len(said), len(t.Cells))
	}
	run := filepath.Base(filepath.Dir(t.Folder))
	for i, d := range t.Cells {
		folder := filepath.Join(t.Folder, "cells", said[i].Cell)
		if d.Kind == "" {
			s.addNull(run, folder, said[i])
			continue
		}
		m, err := readMessages(folder)
		if err != nil {
			return err
		}
		s.addHarmed(run, folder, d, said[i], m.harmed(d.Bursts))
	}
	if t.Cells[0].Kind == "" {
		return r.cross(ctx, t.Folder, 1, at(&s.crossed, strings.TrimPrefix(run, "null-")))
	}
	for by := 1; by < len(t.Cells) && err == nil; by++ {
		err = r.cross(ctx, t.Folder, by, at(&s.swapped, run))
	}
	return err
}

// cross judges a copy of a run in which each cell has the worst messages of the one that is so many further: nothing that was
// sampled is their cause.
func (r rig) cross(ctx context.Context, folder string, by int, to *tally) error {
	dir, err := os.MkdirTemp("", "causes-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := os.CopyFS(dir, os.DirFS(folder)); err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(folder, "cells", "*", "causes.json"))
	if err != nil {
		return err
	}
	all := make([]map[string]json.RawMessage, len(files))
	for i, file := range files {
		if err := read(file, &all[i]); err != nil {
			return err
		}
	}
	for i, file := range files {
		own := all[i]["worst"]
		all[i]["worst"] = all[(i+by)%len(all)]["worst"]
		text, err := json.Marshal(all[i])
		all[i]["worst"] = own
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, strings.TrimPrefix(file, folder)), text, 0o600)
		}
		if err != nil {
			return err
		}
	}
	said, err := r.why(ctx, dir)
	for _, v := range said {
		to.add(v, nil, nil)
	}
	return err
}

// read reads a file of JSON.
func read(file string, to any) error {
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, to)
	}
	return err
}

// A span is a time after the first due of a cell.
type span struct{ from, to time.Duration }

func (s span) meets(t span) bool { return s.from <= t.to && t.from <= s.to }

// messages are the worst of a window.
type messages struct {
	began  time.Time // the first due
	window span
	worst  []span // each from its due time until it was done
}

// readMessages reads what docs/files.md describes.
func readMessages(folder string) (m messages, err error) {
	var cell struct{ Started time.Time }
	var causes struct {
		From  time.Duration `json:"from_ns"`
		To    time.Duration `json:"to_ns"`
		Worst []struct {
			Due      time.Duration `json:"due_ns"`
			Response time.Duration `json:"response_ns"`
		}
	}
	if err := errors.Join(read(filepath.Join(folder, "cell.json"), &cell), read(filepath.Join(folder, "causes.json"), &causes)); err != nil {
		return m, err
	}
	m.began, m.window = cell.Started, span{causes.From, causes.To}
	for _, w := range causes.Worst {
		m.worst = append(m.worst, span{w.Due, w.Due + w.Response})
	}
	return m, nil
}

// harmed reports whether bursts harmed messages: in more than half of them a message took longer than in nine of ten stretches
// of the window that are as long and without a burst. By chance a burst does so once in ten times.
func (m messages) harmed(bursts []burst) bool {
	var in []span
	var lengths []time.Duration
	for _, b := range bursts {
		s := span{b.From.Sub(m.began), b.To.Sub(m.began)}
		if s.from >= m.window.from && s.to <= m.window.to {
			in, lengths = append(in, s), append(lengths, s.to-s.from)
		}
	}
	if len(in) == 0 {
		return false
	}
	slices.Sort(lengths)
	length := max(lengths[len(lengths)/2], 10*time.Millisecond) // the messages are the worst of each 10 ms
	const after = 300 * time.Millisecond                        // the rest of the queue
	var quiet []time.Duration
	for from := m.window.from; from+length <= m.window.to; from += length {
		s := span{from, from + length}
		if !slices.ContainsFunc(in, func(b span) bool { return s.meets(span{b.from, b.to + after}) }) {
			quiet = append(quiet, m.longest(s, in))
		}
	}
	if len(quiet) == 0 {
		return false
	}
	slices.Sort(quiet)
	usual, over := quiet[len(quiet)*9/10], 0
	for _, b := range in {
		if m.longest(b, nil) > usual {
			over++
		}
	}
	return 2*over > len(in)
}

// longest returns the longest response of the messages that were under way in a stretch, but not in others.
func (m messages) longest(in span, others []span) (longest time.Duration) {
	for _, w := range m.worst {
		if w.meets(in) && !slices.ContainsFunc(others, w.meets) {
			longest = max(longest, w.to-w.from)
		}
	}
	return longest
}

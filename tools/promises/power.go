//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/internal/machine"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/internal/report/host"
	"github.com/brokerbench/brokerbench/requester"
)

// A cut is a loss of power at a level: of the only node, of one of three, or of all three at once.
type cut struct {
	level requester.Durability
	nodes int
	loss
	often, seldom []string // brokers
}

// disk is that of a node whose power is cut.
const disk = "512MiB"

// fewer is how often power is cut where docs/durability.md claims nothing.
const fewer = 3

// powerCuts returns what is cut. RabbitMQ 3.10 is the one of Debian 12.
func powerCuts() []cut {
	only := loss{do: "power-off", node: "1", restart: "1s", nodes: 1, disk: disk}
	one := loss{do: "power-off", node: "1", restart: "6s", nodes: 1, disk: disk}
	all := loss{do: "power-off", node: "all", restart: "2s", nodes: 3, disk: disk}
	fresh := only
	fresh.fresh = true
	const quorum, older = "rabbitmq4", "rabbitmq"
	return []cut{
		{requester.Machine, 1, only, names, []string{older}},
		{requester.Process, 1, only, names, nil},
		{requester.Accepted, 1, only, []string{quorum}, nil}, // of transient messages
		{requester.Node, 3, one, []string{quorum}, without(quorum)},
		{requester.Node, 3, all, []string{quorum}, without(quorum)},
		{requester.Machine, 1, fresh, nil, append(slices.Clone(names), older)},
	}
}

// without returns the brokers but one.
func without(name string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(other string) bool { return other == name })
}

// brokers returns all whose power is cut.
func (c cut) brokers() []string { return slices.Concat(c.often, c.seldom) }

// times returns how often the power of a broker is cut, of a number that is usual.
func (c cut) times(name string, usual int) int {
	if slices.Contains(c.seldom, name) {
		return min(usual, fewer)
	}
	return usual
}

// String names the cut, as journals do.
func (c cut) String() string {
	text := fmt.Sprintf("%s of %d: %s", c.level, c.nodes, c.node)
	if c.fresh {
		text += ", fresh"
	}
	return text
}

// power cuts the power of every broker again and again, each once before any is cut twice. A few are under way at
// the same time. Cuts that the journal has are not repeated. It saves the table after each round, and when it is interrupted.
func (b bench) power(ctx context.Context, save func(section, text string) error) error {
	begun, load := time.Now(), machine.ReadSystem("/").Load
	j, err := openJournal(b.journal)
	if err != nil {
		return err
	}
	defer func() { _ = j.Close() }()
	for round := 1; round <= b.cuts; round++ {
		interrupted := b.round(ctx, j, round)
		where := host.Where(begun, time.Since(begun), machine.Environment(), load).Markdown()
		if err := save("power-cut", where+"\n"+j.table(b.cuts)); err != nil || interrupted != nil {
			return errors.Join(interrupted, err)
		}
	}
	return nil
}

// round makes every cut the number of times that has come.
func (b bench) round(ctx context.Context, j *journal, number int) error {
	var all sync.WaitGroup
	slots := make(chan struct{}, b.atOnce)
	errs := make(chan error, 1)
	for _, c := range powerCuts() {
		for _, name := range c.brokers() {
			if len(j.of(c, name)) >= c.times(name, number) || ctx.Err() != nil {
				continue
			}
			slots <- struct{}{}
			all.Go(func() {
				defer func() { <-slots }()
				if err := b.once(ctx, j, c, name); err != nil {
					select {
					case errs <- err:
					default:
					}
				}
			})
		}
	}
	all.Wait()
	select {
	case err := <-errs:
		return err
	default:
		return ctx.Err()
	}
}

// once makes a cut, and writes down what it lost. One that was interrupted is not decided.
func (b bench) once(ctx context.Context, j *journal, c cut, name string) error {
	o, _ := b.lose(ctx, name, c.level, c.nodes, c.loss, "")
	if ctx.Err() != nil {
		return nil
	}
	return j.add(newEntry(c, name, o))
}

// table returns all that the journal has, a row for each broker and kind of cut.
func (j *journal) table(cuts int) string {
	var r rows
	for _, c := range powerCuts() {
		before := "synced"
		if c.fresh {
			before = "nothing"
		}
		for _, name := range c.brokers() {
			entries := j.of(c, name)
			row := []string{string(c.level), strconv.Itoa(c.nodes), c.node, before, name}
			r = append(r, append(row, sum(entries, c.times(name, cuts))...))
		}
	}
	return document.Table{Head: []string{
		"durability", "nodes", "cut", "before", "broker", "version", "decided", "acknowledged", "lost", "in one cut", "witness ✓", "the others",
	}, Rows: r}.Markdown()
}

// sum returns the cells of a row: the version, the cuts with a result, acknowledged, lost, the fewest and the
// most of one cut and, if only some lost any, how many; how many the witness confirms, and the reasons of those without a
// result.
func sum(entries []entry, cuts int) []string {
	var acked int64
	var lost []int64
	var seen int
	version := ""
	problems := make(map[string]int)
	for _, e := range entries {
		if e.Version != "" {
			version = e.Version
		}
		if e.Problem != "" {
			problems[e.Problem]++
			continue
		}
		acked, lost = acked+e.Acked, append(lost, e.Lost)
		if e.Witness == confirmed {
			seen++
		}
	}
	rest := ""
	for _, text := range slices.Sorted(maps.Keys(problems)) {
		rest += fmt.Sprintf("%d × %s ", problems[text], text)
	}
	row := []string{version, fmt.Sprintf("%d of %d", len(lost), cuts), "–", "–", "–", "–", rest}
	if len(lost) > 0 {
		total, lossy := int64(0), 0
		for _, n := range lost {
			if total += n; n > 0 {
				lossy++
			}
		}
		row[2], row[3] = words.Count(acked), words.Count(total)
		row[4] = words.Count(slices.Min(lost)) + " to " + words.Count(slices.Max(lost))
		if lossy > 0 && lossy < len(lost) {
			row[4] += fmt.Sprintf(", lost in %d of %d", lossy, len(lost))
		}
		row[5] = fmt.Sprintf("%d of %d", seen, len(lost))
	}
	return row
}

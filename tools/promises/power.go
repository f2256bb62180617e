//go:build linux

package main

import (
	"context"
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

// A cut is a loss of power at a level: of the only node, or of all three at once.
type cut struct {
	level requester.Durability
	nodes int
	loss
}

// disk is that of a node whose power is cut.
const disk = "512MiB"

var powerCuts = []cut{
	{requester.Machine, 1, loss{do: "power-off", node: "1", restart: "1s", nodes: 1, disk: disk}},
	{requester.Node, 3, loss{do: "power-off", node: "1", restart: "6s", nodes: 1, disk: disk}},
	{requester.Node, 3, loss{do: "power-off", node: "all", restart: "2s", nodes: 3, disk: disk}},
	{requester.Process, 1, loss{do: "power-off", node: "1", restart: "1s", nodes: 1, disk: disk}},
	{requester.Accepted, 1, loss{do: "power-off", node: "1", restart: "1s", nodes: 1, disk: disk}},
}

// power cuts the power of every broker, again and again. It saves the table after each level.
func (b bench) power(ctx context.Context, save func(section, text string) error) error {
	begun, load := time.Now(), machine.ReadSystem("/").Load
	var table rows
	for _, c := range powerCuts {
		found := make([][]string, len(names))
		var all sync.WaitGroup
		for i, name := range names {
			all.Go(func() { found[i] = b.count(ctx, name, c) })
		}
		all.Wait()
		for i, name := range names {
			table = append(table, append([]string{string(c.level), strconv.Itoa(c.nodes), c.node, name}, found[i]...))
		}
		where := host.Where(begun, time.Since(begun), machine.Environment(), load).Markdown()
		if err := save("power-cut", where+"\n"+powerTable(table)); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// count cuts the power of a broker b.cuts times, and returns the cells of its row: the cuts with a result,
// acknowledged, lost, the fewest and the most of one cut, how many the witness confirms, and the
// reasons of those without a result.
func (b bench) count(ctx context.Context, name string, c cut) []string {
	var acked, lost, least, most int64
	var decided, seen int
	problems := make(map[string]int)
	for range b.cuts {
		o, _ := b.lose(ctx, name, c.level, c.nodes, c.loss, "")
		if o.audit == nil || o.audit.Error != "" {
			problems[o.String()]++
			continue
		}
		acked, lost = acked+o.audit.Acked, lost+o.audit.Missing
		if decided == 0 {
			least = o.audit.Missing
		}
		least, most = min(least, o.audit.Missing), max(most, o.audit.Missing)
		if decided++; o.witness == confirmed {
			seen++
		}
	}
	rest := ""
	for _, text := range slices.Sorted(maps.Keys(problems)) {
		rest += fmt.Sprintf("%d × %s ", problems[text], text)
	}
	return []string{
		fmt.Sprintf("%d of %d", decided, b.cuts), words.Count(acked), words.Count(lost),
		words.Count(least) + " to " + words.Count(most), fmt.Sprintf("%d of %d", seen, decided), rest,
	}
}

func powerTable(r rows) string {
	return document.Table{Head: []string{
		"durability", "nodes", "cut", "broker", "decided", "acknowledged", "lost", "in one cut", "witness ✓", "the others",
	}, Rows: r}.Markdown()
}

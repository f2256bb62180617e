package source

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/brokerbench/brokerbench/internal/leaf/group"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/results"
)

// Names returns a distinct name for each source, such as "nats 3000/s", and the attributes that
// all of them share, such as "1KiB, 25 connections" or "". Sources that differ only in their
// location are named by that, too.
func Names(sources []Source) (names []string, common string) {
	if len(sources) == 0 {
		return nil, ""
	}
	rows := make([][]string, len(sources))
	for i, s := range sources {
		rows[i] = attributes(s)
	}
	var shared []string
	parts := make([][]string, len(sources))
	for column := range rows[0] {
		value := rows[0][column]
		differs := func(row []string) bool { return row[column] != value }
		if column > 0 && !slices.ContainsFunc(rows, differs) {
			shared = append(shared, value)
			continue
		}
		for i, row := range rows {
			parts[i] = append(parts[i], row[column])
		}
	}
	for _, part := range parts {
		names = append(names, join(part, " "))
	}
	return distinct(names, sources), join(shared, ", ")
}

// attributes returns the parts of a source's name, the most important first; defaults are "".
func attributes(s Source) []string {
	if s.Cell == nil {
		return []string{s.Name(), 9: ""}
	}
	p := s.Cell.Plan
	row := []string{
		p.Target.Name, "", p.Shape.SizeText(), p.Shape.Clients(), "", "", "", p.Shape.Topology.Text(), p.Shape.MessageText(), p.Shape.StoreText(),
	}
	if p.Shape.Rate > 0 { // 0 stands for any
		row[1] = p.Shape.RateText()
	}
	if p.Shape.InFlight > 0 {
		row[4] = strconv.Itoa(p.Shape.InFlight) + " in flight"
	}
	if a := cmp.Or(p.Shape.Arrivals, schedule.Constant); a != schedule.Constant {
		row[5] = string(a)
	}
	if p.Repeat > 1 {
		row[6] = fmt.Sprintf("repeat %d", p.Repeat)
	}
	return row
}

// distinct extends names that are not unique by the run, then by the tag, then by the path.
func distinct(names []string, sources []Source) []string {
	tag, path := func(s Source) string { return s.Tag }, func(s Source) string { return s.Path }
	for _, more := range []func(Source) string{runName, tag, path} {
		seen := make(map[string]int)
		for _, name := range names {
			seen[name]++
		}
		for i, name := range names {
			if seen[name] > 1 {
				names[i] = join([]string{name, more(sources[i])}, " ")
			}
		}
	}
	return names
}

func runName(s Source) string {
	if s.Run == "" {
		return ""
	}
	dir, err := filepath.Abs(s.Run) // it may be ../..
	if err != nil {
		return s.Run
	}
	return filepath.Base(dir)
}

// join joins the parts that are not empty.
func join(parts []string, separator string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(parts), func(s string) bool { return s == "" }), separator)
}

// Targets returns the names of all targets of the sources' runs, in the order of the runs' plans,
// which is the order of their colours, whichever cells are drawn. A run that cannot be read
// has none.
func Targets(sources []Source) (names []string) {
	for _, of := range group.By(sources, func(s Source) string { return s.Run }) {
		if of[0].Run == "" {
			continue
		}
		store, err := results.Open(of[0].Run)
		if err != nil {
			continue
		}
		if run, err := store.Run(); err == nil {
			for _, t := range run.Plan.Targets {
				names = append(names, t.Name)
			}
		}
	}
	return names
}

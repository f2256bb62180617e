package host

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/brokerbench/brokerbench/internal/leaf/group"
	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/internal/report/format"
	"github.com/brokerbench/brokerbench/results"
)

// DiskFloors has a line for each target whose acknowledged messages are on a disk that was measured, with
// the ranges of all measurements before and after its cells.
func DiskFloors(d *document.Document, cells []*results.Cell) {
	for _, of := range group.By(cells, func(c *results.Cell) string { return c.Plan.Target.Name }) {
		var floors []*results.DiskFloor
		var on []string
		for _, c := range of {
			for _, one := range c.Disks {
				measured := slices.DeleteFunc([]*results.DiskFloor{one.Before, one.After}, func(f *results.DiskFloor) bool { return f == nil })
				if floors = append(floors, measured...); len(measured) > 0 {
					on = append(on, placed(one))
				}
			}
		}
		if len(floors) > 0 {
			d.Note(fmt.Sprintf("disk of %s (%s): %s", of[0].Plan.Target.Name, words.And(group.Unique(on)), fastest(floors)))
		}
	}
}

// placed names a file system and its drive.
func placed(d results.Disk) string {
	orUnknown := func(text *string) string { return *cmp.Or(text, new("unknown")) }
	text := orUnknown(d.FileSystem)
	if d.Drive != nil {
		text += " on " + *d.Drive
	}
	return text
}

// fastest describes floors of disks by their ranges, and names what kept some from being measured.
func fastest(floors []*results.DiskFloor) string {
	var at50, at99, sizes []int64
	var errs []string
	rate, rates := 0.0, 0
	for _, f := range floors {
		if f.Error != "" {
			errs = append(errs, "not measured to the end: "+f.Error)
		}
		if f.WriteBytesPerS != nil {
			rate, rates = rate+*f.WriteBytesPerS, rates+1
		}
		if f.Sync == nil {
			continue
		}
		for percentile, to := range map[float64]*[]int64{50: &at50, 99: &at99} {
			if row, _ := f.Sync.At(percentile); row.ValueNS != nil {
				*to = append(*to, *row.ValueNS)
			}
		}
		sizes = append(sizes, f.SizeBytes)
	}
	parts := group.Unique(errs)
	if len(at50) > 0 && len(at99) > 0 {
		parts = append([]string{fmt.Sprintf("a write of %s and its fdatasync take %s ms at p50 and %s ms at p99, before and after the cells",
			words.Join(group.Unique(sizes), " or ", func(n int64) string { return words.Size(int(n)) }), between(at50), between(at99))}, parts...)
	}
	if rates > 0 {
		parts = append(parts, fmt.Sprintf("%.0f MB/s in sequence", rate/float64(rates)/1e6))
	}
	return strings.Join(parts, "; ")
}

// between writes the range of times in milliseconds.
func between(ns []int64) string {
	least, most := slices.Min(ns), slices.Max(ns)
	if low, high := format.Millis(&least), format.Millis(&most); low != high {
		return low + " to " + high
	}
	return format.Millis(&least)
}

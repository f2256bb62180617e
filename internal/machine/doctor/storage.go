package doctor

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/internal/machine/disk"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// noDrive is what no drive needs at least for an fdatasync: what takes less never left the memory.
const noDrive = 20 * time.Microsecond

// The beginnings of values that questions depend on.
const (
	yes      = "yes"
	no       = "no"
	inMemory = "no drive"
)

// storage measures the disk below the folder in which brokers keep their data.
func storage(ctx context.Context, needs Needs) Finding {
	folder := cmp.Or(needs.Data, os.TempDir())
	on := disk.Places("/", []plan.Node{{Data: folder}})[0]
	return synced(disk.Measure(ctx, folder, max(needs.Size, 1)), on.Storage)
}

// synced describes a measured disk. It is neither good nor bad: only what is kept on it depends on it.
func synced(f results.DiskFloor, on results.Storage) Finding {
	if f.Sync == nil {
		return unknown("disk", "not measured: "+f.Error)
	}
	at := func(percentile float64) time.Duration {
		row, _ := f.Sync.At(percentile)
		value, _ := row.Value()
		return value
	}
	value := fmt.Sprintf("%s for a write and its fdatasync at the median, %s at p99", micros(at(50)), micros(at(99)))
	if at(50) < noDrive || on.FileSystem != nil && slices.Contains([]string{"tmpfs", "ramfs"}, *on.FileSystem) {
		value = inMemory + ": " + value
	}
	var names []string
	for _, name := range []*string{on.FileSystem, on.Drive} {
		if name != nil {
			names = append(names, *name)
		}
	}
	if len(names) > 0 {
		value += ", " + strings.Join(names, " on ")
	}
	return note("disk", value)
}

// root tells whether this process may make networks and disks, and boot kernels.
func root(uid int) Finding {
	if uid == 0 {
		return note("root", yes)
	}
	return note("root", no)
}

package host_test

import (
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/report/document"
	"github.com/brokerbench/brokerbench/internal/report/host"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// floorAt returns a floor of that time and 100 MB/s.
func floorAt(d time.Duration) *results.DiskFloor {
	h := histogram.New()
	for range 100 {
		h.Record(d)
	}
	sync, rate := results.NewDistribution(h, 0), 1e8
	return &results.DiskFloor{SizeBytes: 1024, Sync: &sync, WriteBytesPerS: &rate}
}

func TestDiskFloors(t *testing.T) {
	ext4, drive := "ext4", "nvme0n1"
	on := func(target string, disks ...results.Disk) *results.Cell {
		return &results.Cell{Plan: plan.Cell{Target: plan.Target{Name: target}}, Disks: disks}
	}
	full := &results.DiskFloor{SizeBytes: 1024, Error: "write /data/x: no space left on device"}
	var d document.Document
	host.DiskFloors(&d, []*results.Cell{
		on("nats", results.Disk{Storage: results.Storage{FileSystem: &ext4, Drive: &drive}, Before: floorAt(100 * time.Microsecond), After: floorAt(200 * time.Microsecond)}),
		on("redis", results.Disk{Storage: results.Storage{FileSystem: &ext4}, Before: floorAt(time.Millisecond), After: full}),
		on("nats", results.Disk{Storage: results.Storage{FileSystem: &ext4, Drive: &drive}, Before: floorAt(150 * time.Microsecond)}),
		on("described", results.Disk{Storage: results.Storage{FileSystem: &ext4}}),
		on("full", results.Disk{Before: full, After: full}),
		on("unknown"),
	})
	const want = `disk of nats (ext4 on nvme0n1): a write of 1KiB and its fdatasync take 0.100 to 0.200 ms at p50 and 0.100 to 0.200 ms at
  p99, before and after the cells; 100 MB/s in sequence
disk of redis (ext4): a write of 1KiB and its fdatasync take 1.00 ms at p50 and 1.00 ms at p99, before and after the
  cells; not measured to the end: write /data/x: no space left on device; 100 MB/s in sequence
disk of full (unknown): not measured to the end: write /data/x: no space left on device
`
	if got := written(t, &d, document.Text); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

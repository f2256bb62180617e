package run

import (
	"context"
	"time"

	"github.com/brokerbench/brokerbench/internal/machine/disk"
	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/results"
)

// A dataKeeper is the nodes of a target that are known to keep data on this machine.
type dataKeeper interface {
	// DataNodes returns the nodes on this machine whose data folders are known.
	DataNodes() []plan.Node
	// Scratch calls use with a new folder in another one. The new folder is removed afterwards, also if this
	// process is killed.
	Scratch(folder string, use func(folder string)) error
}

// disks measures the file systems below the data of a target's nodes. It implements [measure.Disks].
type disks struct {
	keeper dataKeeper
	giveUp <-chan struct{} // ends every measurement; nil: never
	places []disk.Place
	size   int  // of a message, in bytes
	floor  bool // they are to be measured, not only described
}

// disksOf returns the disks of nodes; nil if they are unknown.
func disksOf(nodes measure.Nodes, cell plan.Cell, giveUp <-chan struct{}) *disks {
	keeper, ok := nodes.(dataKeeper)
	if !ok {
		return nil
	}
	places := disk.Places("/", keeper.DataNodes())
	if len(places) == 0 {
		return nil
	}
	return &disks{keeper, giveUp, places, cell.Shape.Largest(), cell.Settings.Floor}
}

// Before measures the disks if the broker promises that acknowledged messages are on them.
func (d *disks) Before(ctx context.Context, broker results.Broker) {
	b := broker.Durability
	d.floor = d.floor && b != nil && b.Promised().AtLeast(requester.Machine)
	if d.floor {
		d.measure(ctx, func(to *results.Disk) **results.DiskFloor { return &to.Before })
	}
}

// After measures what Before measured, unless the disks stay unmeasured, and returns all of it.
func (d *disks) After(unmeasured bool) (list []results.Disk) {
	if d.floor && !unmeasured {
		d.measure(context.Background(), func(to *results.Disk) **results.DiskFloor { return &to.After })
	}
	for _, p := range d.places {
		list = append(list, p.Disk)
	}
	return list
}

// measure measures each disk once, until ctx ends or the user gives up.
func (d *disks) measure(ctx context.Context, to func(*results.Disk) **results.DiskFloor) {
	for i := range d.places {
		f := d.floorOf(ctx, d.places[i].Folder)
		if f == nil {
			return
		}
		*to(&d.places[i].Disk) = f
	}
}

// lastMoment is how long a measurement is awaited once the user has given up.
const lastMoment = 300 * time.Millisecond

// floorOf measures the disk below a folder; nil if it was interrupted. An fdatasync that is stuck on a broken
// drive cannot be ended: its goroutine is left behind.
func (d *disks) floorOf(ctx context.Context, folder string) *results.DiskFloor {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	done := make(chan *results.DiskFloor, 1)
	go func() {
		f := results.DiskFloor{SizeBytes: int64(d.size)}
		if err := d.keeper.Scratch(folder, func(folder string) { f = disk.Measure(ctx, folder, d.size) }); err != nil && f.Error == "" {
			f.Error = err.Error()
		}
		done <- &f
	}()
	select {
	case f := <-done:
		if ctx.Err() == nil {
			return f
		}
		return nil
	case <-d.giveUp:
		cancel()
	}
	select {
	case <-done:
	case <-time.After(lastMoment):
	}
	return nil
}

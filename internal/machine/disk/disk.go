// Package disk measures the floor of a file system, which is what a broker waits for at least if it
// acknowledges only what is on the drive, and describes the drive below it.
//
// The measured loop is that of fio with --fdatasync=1 --overwrite=1: one writer, one write and one fdatasync
// at a time. The blocks are there before, so that an fdatasync has no metadata to commit: a broker that
// appends to a file pays for these, too.
package disk

import (
	"cmp"
	"context"
	"math/rand/v2"
	"os"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// The bounds of one measurement. Both loops end at their times or at their bytes, whatever comes first.
const (
	fillFor  = plan.DiskFloor - syncFor
	fillMost = 32 << 20 // bytes, of the file
	syncFor  = time.Second
	syncMost = 256 << 20 // bytes written
	piece    = 4 << 20   // bytes written between two fdatasyncs while the file grows
)

// A file is where the floor is measured.
type file interface {
	WriteAt(b []byte, at int64) (int, error)
	sync() error
}

// Measure measures the file system of a folder with messages of a size in bytes, in a new file that has
// no name any longer, so that none stays if this process is killed. It takes about
// [plan.DiskFloor]; an operation of the drive that is under way is waited for. An error is in the result.
func Measure(ctx context.Context, folder string, size int) results.DiskFloor {
	created, err := os.CreateTemp(folder, "floor-")
	if err != nil {
		return results.DiskFloor{SizeBytes: int64(size), Error: err.Error()}
	}
	named := os.Remove(created.Name()) // Windows removes no open file
	f := measure(ctx, drive{created}, size)
	err = created.Close()
	if named != nil {
		err = cmp.Or(err, os.Remove(created.Name()))
	}
	if err != nil && f.Error == "" {
		f.Error = err.Error()
	}
	return f
}

// A measurement is under way.
type measurement struct {
	results.DiskFloor

	on file
}

// A drive is a file of the operating system.
type drive struct{ *os.File }

// measure measures a file, which is empty.
func measure(ctx context.Context, on file, size int) results.DiskFloor {
	size = max(size, 1)
	d := measurement{results.DiskFloor{SizeBytes: int64(size)}, on}
	content := make([]byte, max(size, piece))
	_, _ = rand.NewChaCha8([32]byte{}).Read(content) // no file system compresses it; it has no error
	length, err := d.fill(ctx, content)
	if err == nil {
		err = d.overwrite(ctx, content[:size], length)
	}
	if err != nil {
		d.Error = err.Error()
	}
	return d.DiskFloor
}

// fill writes a file from its beginning to its end, in pieces that are each on the drive before the next
// one, and returns its length.
func (d *measurement) fill(ctx context.Context, piece []byte) (length int64, err error) {
	start := time.Now()
	for length == 0 || length < fillMost && time.Since(start) < fillFor && ctx.Err() == nil {
		if _, err := d.on.WriteAt(piece, length); err != nil {
			return length, err
		}
		if err := d.on.sync(); err != nil {
			return length, err
		}
		length += int64(len(piece))
	}
	rate := float64(length) / max(time.Since(start), 1).Seconds()
	d.WriteBytesPerS = &rate
	return length, context.Cause(ctx)
}

// overwrite writes messages over what is there, each followed by an fdatasync.
func (d *measurement) overwrite(ctx context.Context, message []byte, length int64) error {
	size, took := int64(len(message)), histogram.New()
	defer func() {
		if took.Count() > 0 {
			sync := results.NewDistribution(took, 0)
			d.Sync = &sync
		}
	}()
	start, at := time.Now(), int64(0)
	for written := int64(0); written < syncMost && time.Since(start) < syncFor && ctx.Err() == nil; written += size {
		if at+size > length {
			at = 0
		}
		begun := time.Now()
		if _, err := d.on.WriteAt(message, at); err != nil {
			return err
		}
		if err := d.on.sync(); err != nil {
			return err
		}
		took.Record(time.Since(begun))
		at += size
	}
	return context.Cause(ctx)
}

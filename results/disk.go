package results

import "github.com/brokerbench/brokerbench/results/internal/host"

// A Disk is a file system below data folders of the target's nodes, on this machine.
type Disk struct {
	Of []string `json:"disk_of"` // the names of the nodes

	Storage

	// Before and After are its floor, right before the cell and after it. Nil: it was not measured, as the
	// target promises less than [requester.Machine], floors are off, or the run was interrupted.
	Before *DiskFloor `json:"disk_before"`
	After  *DiskFloor `json:"disk_after"`
}

// A DiskFloor is how fast a file system keeps what is written: no message can be on it sooner.
type DiskFloor struct {
	SizeBytes int64 `json:"write_size_bytes"` // of each write
	// Sync is the time of a write over existing data and the fdatasync after it, one after the other. Nil if it
	// could not be measured.
	Sync *Distribution `json:"sync"`
	// WriteBytesPerS is the rate of writing a file from its beginning to its end, with its fdatasync. Nil if
	// it could not be measured.
	WriteBytesPerS *float64 `json:"sequential_bytes_per_s"`
	Error          string   `json:"disk_error,omitempty"` // why the measurement ended early, such as a full disk
}

// A Storage is a file system and the drive below it.
type Storage = host.Storage

package coordinator

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/brokerbench/brokerbench/internal/agents/wire"
	"github.com/brokerbench/brokerbench/internal/leaf/safefile"
	"github.com/brokerbench/brokerbench/plan"
)

// deliveries are the results that agents deliver chunk by chunk, each in a file until it is whole.
type deliveries struct {
	files sync.Mutex     // held while a file is written, for as long as the disk takes
	key   string         // of the attempt under way; "" without one
	dir   string         // of its files
	most  int64          // how large a result may be
	next  map[string]int // the number after the highest of the chunks written, for each agent; written with mu, too

	mu   sync.Mutex               // held for a moment
	came map[string]time.Duration // when each agent's result last grew
	full error                    // why the last chunk could not be written; nil: it was
	fell time.Duration            // when that was
}

// begin takes results of an attempt, each of at most so many bytes, into a folder, until end.
func (d *deliveries) begin(key, folder string, most int64) (err error) {
	d.files.Lock()
	defer d.files.Unlock()
	if d.dir, err = os.MkdirTemp(folder, "delivered-"); err != nil {
		return fmt.Errorf("making a folder for results: %w", err)
	}
	d.key, d.most = key, most
	d.mu.Lock()
	defer d.mu.Unlock()
	d.next, d.came, d.full = make(map[string]int), make(map[string]time.Duration), nil
	return nil
}

// end removes the files.
func (d *deliveries) end() {
	d.files.Lock()
	defer d.files.Unlock()
	_ = os.RemoveAll(d.dir)
	d.key = ""
}

// deliver takes a chunk of a result and answers the agent, which sends it again until it is taken.
func (c *Coordinator) deliver(m *nats.Msg) {
	agent, key, chunk, ok := c.subjects.ReadResult(m.Subject)
	if !ok || c.roster.seat(agent) == nil || chunk < 0 || !c.subjects.Answers(agent, m.Reply) {
		return
	}
	err := c.deliveries.take(agent, key, chunk, m.Data, c.now)
	var refusal []byte
	if err != nil {
		refusal = []byte(err.Error())
	}
	_ = m.Respond(refusal)
}

// take writes a chunk, which comes after those before it. The result has grown if it is the next: one
// that comes again, or cannot be written, is no progress.
func (d *deliveries) take(agent, key string, chunk int, data []byte, now func() time.Duration) error {
	d.files.Lock()
	defer d.files.Unlock()
	if key != d.key {
		return errors.New("its attempt is over")
	}
	begin := int64(chunk) * wire.ChunkSize
	if chunk > d.next[agent] || len(data) > wire.ChunkSize || begin+int64(len(data)) > d.most {
		return fmt.Errorf("a result is chunks of %d B in their order, and has %d MiB at most", wire.ChunkSize, d.most>>20)
	}
	file, err := os.OpenFile(filepath.Join(d.dir, agent), os.O_WRONLY|os.O_CREATE, 0o600)
	if err == nil {
		_, err = file.WriteAt(data, begin)
		err = errors.Join(err, file.Close())
	}
	d.wrote(agent, chunk, now(), err)
	return err
}

// wrote notes that a chunk was written, or why it was not.
func (d *deliveries) wrote(agent string, chunk int, now time.Duration, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case safefile.Full(err):
		d.full, d.fell = err, now
	case err == nil:
		d.full = nil
		if chunk == d.next[agent] {
			d.next[agent]++
			d.came[agent] = now
		}
	}
}

// whole tells whether all of a result has come. It does not wait for the disk.
func (d *deliveries) whole(agent string, parcel wire.Parcel) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return parcel.Bytes > 0 && int64(d.next[agent])*wire.ChunkSize >= int64(parcel.Bytes)
}

// fullFor is how long after a chunk that could not be written the disk counts as full. Its agent sends
// the chunk again five times a second, unless it is gone.
const fullFor = 10 * time.Second

// progress returns when the result of each agent last grew, and why results cannot be stored now. It
// does not wait for the disk.
func (d *deliveries) progress(now time.Duration) (came map[string]time.Duration, full error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if now-d.fell < fullFor {
		full = d.full
	}
	return maps.Clone(d.came), full
}

// open opens what an agent delivered. The caller closes it.
func (d *deliveries) open(agent string, parcel wire.Parcel) (file *os.File, err error) {
	if file, err = os.Open(filepath.Join(d.dir, agent)); err != nil {
		return nil, fmt.Errorf("reading its result: %w", err)
	}
	if err = parcel.Check(file); err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		_ = file.Close()
	}
	return file, err
}

// mostBytes returns how large the result of an agent may be: some times as large as brokerbench
// writes, so that an agent that went wrong does not fill the disk.
func mostBytes(cell plan.Cell) int64 {
	schedule := (cell.Settings.Warmup + cell.Settings.Duration).Seconds()
	most := 64<<20 + schedule*(1<<20)
	if len(cell.Settings.Faults) > 0 { // some bits of each message
		most += schedule * float64(cell.Shape.Rate)
	}
	return int64(min(most, wire.MostBytes))
}

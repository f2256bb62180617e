package coordinator

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/brokerbench/brokerbench/internal/agents/wire"
)

// deliveries are the results that agents deliver chunk by chunk, each in a file until it is whole.
type deliveries struct {
	files sync.Mutex     // held while a file is written, for as long as the disk takes
	key   string         // of the attempt under way; "" without one
	dir   string         // of its files
	next  map[string]int // the number after the highest of the chunks written, for each agent

	mu   sync.Mutex               // held for a moment
	came map[string]time.Duration // when each agent's result last grew
}

// begin takes results of an attempt into a folder, until end.
func (d *deliveries) begin(key, folder string) (err error) {
	d.files.Lock()
	defer d.files.Unlock()
	if d.dir, err = os.MkdirTemp(folder, "delivered-"); err != nil {
		return fmt.Errorf("making a folder for results: %w", err)
	}
	d.key, d.next = key, make(map[string]int)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.came = make(map[string]time.Duration)
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
	if !ok || c.roster.seat(agent) == nil || chunk < 0 || chunk >= wire.MostChunks || !c.subjects.Answers(agent, m.Reply) {
		return
	}
	err := c.deliveries.take(agent, key, chunk, m.Data, c.now)
	var refusal []byte
	if err != nil {
		refusal = []byte(err.Error())
	}
	_ = m.Respond(refusal)
}

// take writes a chunk. The result has grown if the chunk is after all those written before: one
// that comes again, or cannot be written, is no progress.
func (d *deliveries) take(agent, key string, chunk int, data []byte, now func() time.Duration) error {
	d.files.Lock()
	defer d.files.Unlock()
	if key != d.key {
		return errors.New("its attempt is over")
	}
	file, err := os.OpenFile(filepath.Join(d.dir, agent), os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	_, err = file.WriteAt(data, int64(chunk)*wire.ChunkSize)
	if err := errors.Join(err, file.Close()); err != nil {
		return err
	}
	if chunk >= d.next[agent] {
		d.next[agent] = chunk + 1
		d.grew(agent, now())
	}
	return nil
}

func (d *deliveries) grew(agent string, now time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.came[agent] = now
}

// progress returns when the result of each agent last grew. It does not wait for the disk.
func (d *deliveries) progress() map[string]time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	return maps.Clone(d.came)
}

// read returns what an agent delivered.
func (d *deliveries) read(agent string, parcel wire.Parcel) (packed []byte, err error) {
	if packed, err = os.ReadFile(filepath.Join(d.dir, agent)); err != nil {
		return nil, fmt.Errorf("reading its result: %w", err)
	}
	return packed, parcel.Check(packed)
}

package coordinator

import (
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/agents/wire"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
)

// at is a clock that stands still.
func at(now time.Duration) func() time.Duration { return func() time.Duration { return now } }

// Chunks may come twice, and only those of the attempt under way are taken.
func TestAResultIsPutTogetherFromItsChunks(t *testing.T) {
	dir := t.TempDir()
	var d deliveries
	packed := make([]byte, wire.ChunkSize+3)
	packed[0], packed[wire.ChunkSize] = 1, 2
	var parcel wire.Parcel
	parcel.Describe(packed)
	if err := d.begin("7", dir, wire.MostBytes); err != nil {
		t.Fatal(err)
	}
	if err := d.take("a1", "6", 0, packed[:wire.ChunkSize], at(second)); err == nil {
		t.Error("a result of the attempt before is taken")
	}
	if _, err := readAll(&d, parcel); err == nil {
		t.Error("a result is there of which nothing came")
	}
	for i, chunk := range [][]byte{packed[:wire.ChunkSize], packed[:wire.ChunkSize], packed[wire.ChunkSize:]} {
		if _, err := readAll(&d, parcel); err == nil {
			t.Errorf("a result is whole after %d chunks", i)
		}
		if err := d.take("a1", "7", i/2, chunk, at(time.Duration(i)*second)); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := readAll(&d, parcel); err != nil || string(got) != string(packed) {
		t.Errorf("%d B, %v", len(got), err)
	}
	if came, _ := d.progress(0); len(came) != 1 || came["a1"] != 2*second {
		t.Errorf("%v", came)
	}
	d.end()
	if files, _ := os.ReadDir(dir); len(files) != 0 {
		t.Errorf("%v is left", files)
	}
	if d.take("a1", "7", 0, packed, at(0)) == nil {
		t.Error("a chunk is taken after the end")
	}
}

// readAll reads what a1 delivered.
func readAll(d *deliveries, parcel wire.Parcel) ([]byte, error) {
	file, err := d.open("a1", parcel)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(file)
}

// An agent that sends without an end, or only the last chunk, does not fill the disk.
func TestAResultHasABound(t *testing.T) {
	var d deliveries
	dir := t.TempDir()
	if err := d.begin("7", dir, 3*wire.ChunkSize); err != nil {
		t.Fatal(err)
	}
	taken := 0
	for _, chunk := range []int{8191, 0, 1, 2, 3, 4, 1} {
		if d.take("a1", "7", chunk, make([]byte, wire.ChunkSize), at(0)) == nil {
			taken++
		}
	}
	if err := d.take("a1", "7", 0, make([]byte, wire.ChunkSize+1), at(0)); err == nil || taken != 4 {
		t.Errorf("%d chunks are taken, want 0, 1, 2 and 1 again; %v", taken, err)
	}
	if info, err := os.Stat(filepath.Join(d.dir, "a1")); err != nil || info.Size() != 3*wire.ChunkSize {
		t.Errorf("%v, %v", info, err)
	}
	for rate, want := range map[schedule.Rate]int64{10: 64<<20 + 30<<20, 1e9: wire.MostBytes} {
		cell := plan.Cell{Shape: plan.Shape{Rate: rate}, Settings: plan.Settings{Warmup: 10 * second, Duration: 20 * second}}
		if rate > 10 {
			cell.Settings.Faults = []plan.Fault{{}}
		}
		if got := mostBytes(cell); got != want {
			t.Errorf("%v/s: %d B, want %d", rate, got, want)
		}
	}
}

// An agent that sends the same again and again, or what cannot be written, is stuck.
func TestAResultGrowsByNewChunksThatAreWritten(t *testing.T) {
	var d deliveries
	if err := d.begin("7", t.TempDir(), wire.MostBytes); err != nil {
		t.Fatal(err)
	}
	blocked := filepath.Join(d.dir, "a1")
	for _, step := range []struct {
		name  string
		chunk int
		fails bool
		now   time.Duration
		want  time.Duration // when the result last grew; 0: never
	}{
		{"it cannot be written", 0, true, 1 * second, 0},
		{"it can", 0, false, 2 * second, 2 * second},
		{"it comes again", 0, false, 3 * second, 2 * second},
		{"the next cannot be written", 1, true, 4 * second, 2 * second},
		{"it can", 1, false, 5 * second, 5 * second},
		{"the first comes late", 0, false, 6 * second, 5 * second},
	} {
		if step.fails {
			_ = os.Rename(blocked, blocked+".kept")
			if err := os.Mkdir(blocked, 0o700); err != nil {
				t.Fatal(err)
			}
		}
		if err := d.take("a1", "7", step.chunk, []byte("x"), at(step.now)); (err != nil) != step.fails {
			t.Errorf("%s: %v", step.name, err)
		}
		if step.fails {
			if err := os.Remove(blocked); err != nil {
				t.Fatal(err)
			}
			_ = os.Rename(blocked+".kept", blocked)
		}
		if came, _ := d.progress(0); came["a1"] != step.want {
			got := came["a1"]
			t.Errorf("%s: it last grew at %v, want %v", step.name, got, step.want)
		}
	}
	d.end()
	if err := d.begin("8", t.TempDir(), wire.MostBytes); err != nil {
		t.Fatal(err)
	}
	if err := d.take("a1", "8", 0, []byte("x"), at(7*second)); err != nil {
		t.Error(err)
	}
	if came, _ := d.progress(0); came["a1"] != 7*second {
		t.Errorf("the first chunk of another attempt: %v", came)
	}
}

// The disk counts as full from a chunk that could not be written until one is, or until its agent has
// sent none for a while: it may be gone.
func TestAFullDiskIsForgottenOnceThereIsRoom(t *testing.T) {
	var d deliveries
	if err := d.begin("7", t.TempDir(), wire.MostBytes); err != nil {
		t.Fatal(err)
	}
	if err := d.take("a1", "7", 0, []byte("x"), at(1*second)); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/dev/full", filepath.Join(d.dir, "a2")); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		name  string
		agent string
		takes bool
		now   time.Duration
		later time.Duration // when the disk is asked for
		full  bool
	}{
		{"there is no room", "a2", false, 2 * second, 11 * second, true},
		{"its agent is gone", "a2", false, 2 * second, 12 * second, false},
		{"there is none again", "a2", false, 20 * second, 20 * second, true},
		{"a chunk that came before is written", "a1", true, 21 * second, 21 * second, false},
	} {
		if err := d.take(step.agent, "7", 0, []byte("x"), at(step.now)); (err == nil) != step.takes {
			t.Skipf("NOT TESTED: %s: %v", step.name, err)
		}
		if _, err := d.progress(step.later); (err != nil) != step.full {
			t.Errorf("%s: %v", step.name, err)
		}
	}
}

// What waits for the disk does not keep who asks for the progress.
func TestTheProgressDoesNotWaitForTheDisk(t *testing.T) {
	var d deliveries
	d.files.Lock()
	defer d.files.Unlock()
	asked := make(chan struct{})
	go func() {
		_, _ = d.progress(0)
		close(asked)
	}()
	select {
	case <-asked:
	case <-time.After(10 * second):
		t.Error("it waits")
	}
}

// Agents with many connections have longer to set them up.
func TestTheTimeToPrepareGoesByTheConnections(t *testing.T) {
	c := &Coordinator{cfg: Config{Agents: []string{"a1", "a2"}}.withDefaults()}
	for connections, want := range map[int]time.Duration{2: time.Minute, 32: time.Minute, 34: 90 * second, 3200: time.Minute + 99*30*second} {
		t1 := &trial{agents: make([]*participant, 2)}
		t1.cell.Shape.Connections = connections
		if got := c.config(t1).Prepare; got != want {
			t.Errorf("%d connections: %v, want %v", connections, got, want)
		}
	}
}

package coordinator

import (
	"os"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/agents/wire"
)

// Chunks may come twice, and only those of the attempt under way are taken.
func TestAResultIsPutTogetherFromItsChunks(t *testing.T) {
	dir := t.TempDir()
	var d deliveries
	packed := make([]byte, wire.ChunkSize+3)
	packed[0], packed[wire.ChunkSize] = 1, 2
	var parcel wire.Parcel
	parcel.Describe(packed)
	if err := d.begin("7", dir); err != nil {
		t.Fatal(err)
	}
	if err := d.take("a1", "6", 0, packed[:wire.ChunkSize], second); err == nil {
		t.Error("a result of the attempt before is taken")
	}
	if _, err := d.read("a1", parcel); err == nil {
		t.Error("a result is there of which nothing came")
	}
	for i, chunk := range [][]byte{packed[:wire.ChunkSize], packed[:wire.ChunkSize], packed[wire.ChunkSize:]} {
		if _, err := d.read("a1", parcel); err == nil {
			t.Errorf("a result is whole after %d chunks", i)
		}
		if err := d.take("a1", "7", i/2, chunk, time.Duration(i)*second); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := d.read("a1", parcel); err != nil || string(got) != string(packed) {
		t.Errorf("%d B, %v", len(got), err)
	}
	if came := d.progress(); len(came) != 1 || came["a1"] != 2*second {
		t.Errorf("%v", came)
	}
	d.end()
	if files, _ := os.ReadDir(dir); len(files) != 0 {
		t.Errorf("%v is left", files)
	}
	if d.take("a1", "7", 0, packed, 0) == nil {
		t.Error("a chunk is taken after the end")
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

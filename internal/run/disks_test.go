package run

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brokerbench/brokerbench/internal/loopback"
	"github.com/brokerbench/brokerbench/measure"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/results"
)

// A keeper is nodes with data in some folders.
type keeper struct {
	busyNode

	folders []string
	refuses error // to make a folder
	made    []string
}

func (k *keeper) DataNodes() (list []plan.Node) {
	for _, f := range k.folders {
		list = append(list, plan.Node{Name: f, Data: f})
	}
	return list
}

func (k *keeper) Scratch(folder string, use func(folder string)) error {
	if k.made = append(k.made, folder); k.refuses != nil {
		return k.refuses
	}
	use(folder)
	return nil
}

// promising returns a broker at a level of durability.
func promising(level requester.Durability) results.Broker {
	return results.Broker{Durability: &requester.Backing{Level: level}}
}

func TestOnlyWhatIsPromisedToBeOnTheDiskIsMeasured(t *testing.T) {
	on := plan.Cell{Shape: plan.Shape{Size: 512}, Settings: plan.Settings{Floor: true}}
	off := plan.Cell{Shape: plan.Shape{Size: 512}}
	for _, tt := range []struct {
		name   string
		cell   plan.Cell
		broker results.Broker
		want   int
	}{
		{"unknown", on, results.Broker{}, 0},
		{"none", on, promising(requester.None), 0},
		{"process", on, promising(requester.Process), 0},
		{"machine", on, promising(requester.Machine), 2},
		{"node", on, promising(requester.Node), 2},
		{"machine, less asked for", on, results.Broker{Durability: &requester.Backing{Level: requester.Machine, Asked: requester.Process}}, 0},
		{"off", off, promising(requester.Machine), 0},
	} {
		k := &keeper{folders: []string{t.TempDir()}, refuses: os.ErrPermission}
		d := disksOf(k, tt.cell, nil)
		d.Before(t.Context(), tt.broker)
		got := d.After(false)
		if len(k.made) != tt.want || len(got) != 1 {
			t.Fatalf("%s: measured %v, want %d; %+v", tt.name, k.made, tt.want, got)
		}
		for _, f := range []*results.DiskFloor{got[0].Before, got[0].After} {
			if (f != nil) != (tt.want > 0) || f != nil && (f.SizeBytes != 512 || f.Sync != nil || f.Error != os.ErrPermission.Error()) {
				t.Errorf("%s: %+v", tt.name, f)
			}
		}
	}
}

// Two nodes on one file system are measured once, before the cell and after it.
func TestADiskIsMeasuredOnce(t *testing.T) {
	folder := t.TempDir()
	k := &keeper{folders: []string{folder, folder}}
	d := disksOf(k, plan.Cell{Shape: plan.Shape{Size: 64}, Settings: plan.Settings{Floor: true}}, nil)
	if d.places[0].FileSystem == nil {
		t.Skip("the system does not tell which file systems it has")
	}
	d.Before(t.Context(), promising(requester.Machine))
	got := d.After(false)
	if len(got) != 1 || len(got[0].Of) != 2 || len(k.made) != 2 {
		t.Fatalf("%+v, measured in %v", got, k.made)
	}
	for _, f := range []*results.DiskFloor{got[0].Before, got[0].After} {
		if f == nil || f.Error != "" || f.SizeBytes != 64 || f.Sync == nil || f.WriteBytesPerS == nil {
			t.Errorf("%+v", f)
		}
	}
}

func TestNothingIsMeasuredAfterAnInterruption(t *testing.T) {
	k := &keeper{folders: []string{t.TempDir()}, refuses: os.ErrPermission}
	d := disksOf(k, plan.Cell{Shape: plan.Shape{Size: 64}, Settings: plan.Settings{Floor: true}}, nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	d.Before(ctx, promising(requester.Machine))
	if got := d.After(true); got[0].Before != nil || got[0].After != nil || len(k.made) != 1 {
		t.Errorf("%+v, measured in %v", got, k.made)
	}
}

// A stuckKeeper is a keeper whose disk does nothing until released is closed.
type stuckKeeper struct {
	keeper

	released chan struct{}
}

func (k *stuckKeeper) Scratch(string, func(string)) error {
	<-k.released
	return os.ErrDeadlineExceeded
}

// A disk that is stuck keeps nobody who gives up, and those behind it are not tried.
func TestAStuckDiskIsNotAwaited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := &stuckKeeper{keeper{folders: []string{"/a"}}, make(chan struct{})}
		giveUp := make(chan struct{})
		d := disksOf(k, plan.Cell{Shape: plan.Shape{Size: 64}, Settings: plan.Settings{Floor: true}}, giveUp)
		d.places = append(d.places, d.places[0])
		begun := time.Now()
		time.AfterFunc(time.Minute, func() { close(giveUp) })
		d.Before(t.Context(), promising(requester.Machine))
		got := d.After(false)
		if took := time.Since(begun); took != time.Minute+2*lastMoment || got[0].Before != nil || got[0].After != nil {
			t.Errorf("after %v: %+v", took, got)
		}
		close(k.released)
	})
}

func TestNodesWithoutData(t *testing.T) {
	for name, got := range map[string]*disks{"nothing": disksOf(nil, plan.Cell{}, nil), "no keeper": disksOf(&busyNode{}, plan.Cell{}, nil), "no folder": disksOf(&keeper{}, plan.Cell{}, nil)} {
		if got != nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// fakeDisks notes when it is called.
type fakeDisks struct {
	happened []string
	stored   func() bool // whether the result is; nil: nothing is stored
}

func (f *fakeDisks) Before(_ context.Context, b results.Broker) {
	f.happened = append(f.happened, "before "+b.Product)
}

func (f *fakeDisks) After(unmeasured bool) []results.Disk {
	switch {
	case unmeasured:
		f.happened = append(f.happened, "listed")
	case f.stored != nil && !f.stored():
		f.happened = append(f.happened, "measured before it was stored")
	default:
		f.happened = append(f.happened, "measured")
	}
	return []results.Disk{{Of: []string{"1"}}}
}

// Disks are those of the whole cell, also if its rate changes.
func TestDisksAreOfACell(t *testing.T) {
	for _, rate := range []schedule.Changes{"", "step(100@2s,200@2s)"} {
		cell := cellOf(150, 4*time.Second)
		cell.Shape.Changes = rate
		disks := new(fakeDisks)
		o := Options{}
		o.Disks, o.Started = disks, func(time.Time) { disks.happened = append(disks.happened, "started") }
		c := virtual(t, loopback.Config{Delay: ms}, cell, o)
		if len(disks.happened) != 4 || !strings.HasPrefix(disks.happened[0], "before ") || !slices.Equal(disks.happened[1:], []string{"started", "listed", "measured"}) {
			t.Errorf("%q: %q", rate, disks.happened)
		}
		if len(c.Disks) != 1 {
			t.Errorf("%q: disks %+v", rate, c.Disks)
		}
		for _, s := range c.Sections {
			if s.Disks != nil {
				t.Errorf("%q: of a section: %+v", rate, s.Disks)
			}
		}
	}
}

// The disks are measured when the result is stored, and stored with it then.
func TestDisksAreMeasuredAfterTheResultIsStored(t *testing.T) {
	store, err := results.Create(t.TempDir(), "", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	folder, err := store.CreateCell("cell")
	if err != nil {
		t.Fatal(err)
	}
	disks, o := new(fakeDisks), Options{}
	disks.stored = func() bool { c, err := folder.Read(); return err == nil && len(c.Disks) == 1 }
	o.Disks, o.Folder = disks, folder
	virtual(t, loopback.Config{Delay: ms}, cellOf(150, time.Second), o)
	if c, err := folder.Read(); err != nil || len(c.Disks) != 1 || disks.happened[len(disks.happened)-1] != "measured" {
		t.Errorf("%q, %v", disks.happened, err)
	}
}

// What a disk cannot do does not end the run.
func TestACellGoesOnWithoutItsDisk(t *testing.T) {
	k := &keeper{folders: []string{"/gone"}, refuses: errors.New("gone")}
	cell := cellOf(100, time.Second)
	cell.Settings.Floor = true
	var o Options
	o.Disks = promised{disksOf(k, cell, nil)}
	c := virtual(t, loopback.Config{Delay: ms}, cell, o)
	if c.Ledger.Done != c.Ledger.Due || len(c.Disks) != 1 || c.Disks[0].Before.Error != "gone" || c.Disks[0].After.Error != "gone" {
		t.Errorf("%+v, %+v", c.Ledger, c.Disks)
	}
}

// promised are disks of a broker that keeps every acknowledged message on them.
type promised struct{ *disks }

func (p promised) Before(ctx context.Context, _ results.Broker) {
	p.disks.Before(ctx, promising(requester.Machine))
}

// The process that has the agents measures the disks, if the broker tells what it promises.
func TestDisksAreMeasuredBesideAgents(t *testing.T) {
	cell := cellOf(100, time.Second)
	cell.Settings.Floor = true
	for _, tt := range []struct {
		name string
		open func(plan.Target, string) (requester.Factory, error)
		want int
	}{
		{"machine", func(plan.Target, string) (requester.Factory, error) { return describer{requester.Machine}, nil }, 2},
		{"process", func(plan.Target, string) (requester.Factory, error) { return describer{requester.Process}, nil }, 0},
		{"down", func(plan.Target, string) (requester.Factory, error) { return nil, errDown }, 0},
	} {
		k := &keeper{folders: []string{t.TempDir()}, refuses: os.ErrPermission}
		d := &CellDriver{r: Runner{Open: tt.open}, cell: cell, disks: disksOf(k, cell, nil), folder: results.OpenCell(t.TempDir())}
		d.before(t.Context())
		c := new(results.Cell)
		d.Finish(c, measure.Raw{})
		if len(k.made) != tt.want/2 { // the rest when the result is stored
			t.Errorf("%s: measured %v before", tt.name, k.made)
		}
		if err := d.after(t.Context(), c); err != nil {
			t.Error(err)
		}
		if len(k.made) != tt.want || len(c.Disks) != 1 {
			t.Errorf("%s: measured %v, %+v", tt.name, k.made, c.Disks)
		}
	}
}

// A describer is a factory that only describes a broker at a level of durability.
type describer struct{ level requester.Durability }

func (describer) New(int, requester.Sink) (requester.Requester, error) { return nil, errDown }

func (d describer) Describe(context.Context) (requester.Description, error) {
	return requester.Description{Product: "x", Durability: &requester.Backing{Level: d.level}}, nil
}

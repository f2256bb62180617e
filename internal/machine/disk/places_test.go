package disk

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/results"
)

// kernel makes the files of a kernel below a new root folder, by their paths. A text that begins with → is
// a link's.
func kernel(t *testing.T, files map[string]string) (root string) {
	t.Helper()
	root = t.TempDir()
	for name, text := range files {
		name = filepath.Join(root, name)
		err := os.MkdirAll(filepath.Dir(name), 0o700)
		if to, link := strings.CutPrefix(text, "→"); err == nil && link {
			err = os.Symlink(to, name)
		} else if err == nil {
			err = os.WriteFile(name, []byte(text), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func of[T any](value T) *T { return &value }

const mountinfo = `22 27 0:21 / /proc rw,relatime - proc proc rw
27 1 259:2 / / rw,relatime shared:1 - ext4 /dev/nvme0n1p2 rw,errors=remount-ro
28 27 0:25 / /mem rw - tmpfs tmpfs rw,size=1m
29 27 253:1 / /lvm\040data rw,noatime - xfs /dev/mapper/a-b rw,attr2
30 27 0:40 / /hidden rw - ext4 /dev/x rw
31 27 254:0 / /hidden ro - btrfs /dev/vda ro
a line of another kind
32 27
`

func testKernel(t *testing.T) string {
	const nvme, dm, vda = "sys/devices/pci0/nvme/nvme0/nvme0n1/", "sys/devices/virtual/block/dm-1/", "sys/devices/pci0/virtio1/block/vda/"
	return kernel(t, map[string]string{
		"proc/self/mountinfo": mountinfo,
		"sys/dev/block/259:2": "→../../devices/pci0/nvme/nvme0/nvme0n1/nvme0n1p2", nvme + "nvme0n1p2/partition": "2\n",
		nvme + "device/model": "Fast 1TB  \n", nvme + "queue/rotational": "0\n", nvme + "queue/scheduler": "[none] mq-deadline\n",
		nvme + "queue/write_cache": "write through\n",
		"sys/dev/block/253:1":      "→../../devices/virtual/block/dm-1",
		dm + "slaves/nvme0n1p2":    "→../../../../pci0/nvme/nvme0/nvme0n1/nvme0n1p2",
		"sys/dev/block/254:0":      "→../../devices/pci0/virtio1/block/vda", vda + "queue/rotational": "1\n", vda + "queue/scheduler": "none\n",
	})
}

func TestPlaces(t *testing.T) {
	node := func(name, data string) plan.Node { return plan.Node{Name: name, Data: data} }
	got := Places(testKernel(t), []plan.Node{
		node("1", "/not-there/a"), node("2", "/mem"), node("3", "/not-there-either"), node("4", "/lvm data/x"), node("5", "/hidden/y"), node("6", "/memory"),
	})
	fast := results.Storage{
		Drive: of("nvme0n1"), Model: of("Fast 1TB"), Rotational: of(false), Scheduler: of("none"), WriteCache: of("write through"), Virtual: of(false),
	}
	root, lvm := results.Disk{Storage: fast}, results.Disk{Storage: fast}
	root.Of, root.FileSystem, root.MountOptions = []string{"1", "3", "6"}, of("ext4"), of("rw,relatime,errors=remount-ro")
	lvm.Of, lvm.FileSystem, lvm.MountOptions = []string{"4"}, of("xfs"), of("rw,noatime,attr2")
	want := []Place{
		{root, "/not-there/a"},
		{results.Disk{Of: []string{"2"}, Storage: results.Storage{FileSystem: of("tmpfs"), MountOptions: of("rw,size=1m")}}, "/mem"},
		{lvm, "/lvm data/x"},
		{results.Disk{Of: []string{"5"}, Storage: results.Storage{FileSystem: of("btrfs"), MountOptions: of("ro"), Drive: of("vda"), Rotational: of(true), Virtual: of(true)}}, "/hidden/y"},
	}
	if len(got) != len(want) {
		t.Fatalf("%d places, want %d: %+v", len(got), len(want), got)
	}
	for i := range want {
		if !reflect.DeepEqual(got[i], want[i]) {
			t.Errorf("place %d: got %+v, want %+v", i, got[i], want[i])
		}
	}
}

// The drive below a source, and whether it is virtual.
func TestTheOnlyDrive(t *testing.T) {
	const block = "sys/devices/virtual/block/"
	root := kernel(t, map[string]string{
		"sys/devices/pci0/sda/sda1/partition": "1", "sys/devices/pci0/sda/sda2/partition": "2", "sys/devices/pci0/sdb/sdb1/partition": "1",
		"sys/class/block/sda": "→../../devices/pci0/sda", "sys/dev/block/8:0": "→../../devices/pci0/sda",
		"sys/dev/block/9:0": "→../../devices/virtual/block/md0", "sys/dev/block/9:1": "→../../devices/virtual/block/md0/md0p1", block + "md0/md0p1/partition": "1",
		block + "md0/slaves/sda1": "→../../../../pci0/sda/sda1", block + "md0/slaves/sdb1": "→../../../../pci0/sdb/sdb1",
		"sys/dev/block/253:0": "→../../devices/virtual/block/dm-0", block + "dm-0/slaves/dm-1": "→../../dm-1", block + "dm-0/slaves/dm-2": "→../../dm-2",
		block + "dm-1/slaves/sda1": "→../../../../pci0/sda/sda1", block + "dm-2/slaves/sda2": "→../../../../pci0/sda/sda2",
		"sys/dev/block/253:3": "→../../devices/virtual/block/dm-3", block + "dm-3/slaves/gone": "→../gone",
		"sys/dev/block/259:0": "→../../devices/virtual/nvme-subsystem/nvme-subsys0/nvme0n1", "sys/devices/virtual/nvme-subsystem/nvme-subsys0/nvme0n1/queue/rotational": "0",
		"sys/dev/block/7:0": "→../../devices/virtual/block/loop0", block + "loop0/queue/rotational": "0",
	})
	for _, tt := range []struct {
		device, source, drive string
		virtual               bool
	}{
		{"8:0", "/dev/sda", "sda", false},
		{"0:40", "/dev/sda", "sda", false}, // btrfs
		{"0:41", "nas:/export/sda", "", false},
		{"0:42", "sda", "", false},
		{"9:0", "/dev/md0", "", false},
		{"9:1", "/dev/md0p1", "", false},
		{"253:0", "/dev/mapper/thin", "sda", false}, // two volumes of one drive
		{"253:3", "/dev/mapper/gone", "", false},
		{"259:0", "/dev/nvme0n1", "nvme0n1", false},
		{"7:0", "/dev/loop0", "loop0", true},
		{"", "/dev/sda", "", false},
	} {
		var got results.Disk
		describeDrive(&got, driveOf(root, mount{device: tt.device, source: tt.source}))
		if tt.drive == "" {
			if got.Drive != nil || got.Virtual != nil {
				t.Errorf("%s %s: got %+v, want no drive", tt.device, tt.source, got)
			}
		} else if got.Drive == nil || *got.Drive != tt.drive || *got.Virtual != tt.virtual {
			t.Errorf("%s %s: got %+v, want %s, virtual %t", tt.device, tt.source, got, tt.drive, tt.virtual)
		}
	}
}

// Where the kernel tells nothing, each folder is a place without facts.
func TestAnUnknownKernel(t *testing.T) {
	got := Places(t.TempDir(), []plan.Node{{Name: "1", Data: "/a"}, {Name: "2", Data: "/a"}})
	want := []Place{{results.Disk{Of: []string{"1"}}, "/a"}, {results.Disk{Of: []string{"2"}}, "/a"}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func FuzzMounts(f *testing.F) {
	f.Add(mountinfo, "/mem/x")
	f.Add("→", "")
	f.Add("1 2 3 4 5 6 - \n- - - - - - - -\n", "")
	f.Fuzz(func(t *testing.T, text, folder string) {
		if strings.HasPrefix(text, "→") {
			t.Skip("it would be a link")
		}
		root := kernel(t, map[string]string{"proc/self/mountinfo": text})
		if got := Places(root, []plan.Node{{Name: "1", Data: folder}}); len(got) != 1 || got[0].Folder != folder {
			t.Errorf("%+v", got)
		}
	})
}

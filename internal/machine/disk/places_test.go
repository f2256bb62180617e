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
	f.Add("1 2 3 4 5 6 - \n- - - - - - - -\n", "")
	f.Fuzz(func(t *testing.T, text, folder string) {
		root := kernel(t, map[string]string{"proc/self/mountinfo": text})
		if got := Places(root, []plan.Node{{Name: "1", Data: folder}}); len(got) != 1 || got[0].Folder != folder {
			t.Errorf("%+v", got)
		}
	})
}

package inject

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

func TestSharedSpace(t *testing.T) {
	ext := space{1, unix.EXT4_SUPER_MAGIC, "/dev/sda1", 1000, 500}
	overlay := space{2, unix.OVERLAYFS_SUPER_MAGIC, "", 1000, 500}
	zfs := space{3, 0x2fc12fc1, "tank", 700, 500}
	for name, c := range map[string]struct {
		a, before, after space
		want             bool
	}{
		"the same device":               {ext, space{device: 1}, space{device: 1}, true},
		"two of one kind, equally full": {ext, space{9, unix.XFS_SUPER_MAGIC, "/dev/sdb1", 1000, 500}, space{free: 500}, false},
		"an overlay of the disk":        {overlay, ext, ext, true},
		"written to meanwhile":          {overlay, space{1, unix.EXT4_SUPER_MAGIC, "/dev/sda1", 1000, 600}, space{free: 400}, true},
		"fuller":                        {overlay, space{1, unix.EXT4_SUPER_MAGIC, "/dev/sda1", 1000, 499}, space{free: 499}, false},
		"larger":                        {overlay, space{1, unix.EXT4_SUPER_MAGIC, "/dev/sda1", 1001, 500}, space{free: 500}, false},
		"one pool":                      {zfs, space{4, 0x2fc12fc1, "tank", 900, 400}, space{free: 400}, true},
		"another pool":                  {zfs, space{4, 0x2fc12fc1, "other", 900, 500}, space{free: 500}, false},
	} {
		if got := c.a.shares(c.before, c.after); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// mount mounts something for the length of a test, or skips it.
func mount(t *testing.T, args ...string) {
	t.Helper()
	to := args[len(args)-1]
	if err := os.MkdirAll(to, 0o700); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "mount", args...).CombinedOutput(); err != nil {
		t.Skipf("mount %v: %v: %s", args, err, out)
	}
	t.Cleanup(func() { _ = unix.Unmount(to, unix.MNT_DETACH) })
}

// wantSame wants two folders to share their space, or not, whichever is asked first.
func wantSame(t *testing.T, a, b string, want bool) {
	t.Helper()
	for _, pair := range [][2]string{{a, b}, {b, a}} {
		if got, err := sameDisk(pair[0], pair[1]); err != nil || got != want {
			t.Errorf("%s and %s: %v, %v, want %v", pair[0], pair[1], got, err, want)
		}
	}
}

func TestMountsThatShareTheirSpace(t *testing.T) {
	dir := t.TempDir()
	disk, other, bound, over := filepath.Join(dir, "disk"), filepath.Join(dir, "other"), filepath.Join(dir, "bound"), filepath.Join(dir, "over")
	mount(t, "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk)
	mount(t, "-t", "tmpfs", "-o", "size=1m", "tmpfs", other)
	for _, folder := range []string{"lower", "upper", "work", "part"} {
		if err := os.Mkdir(filepath.Join(disk, folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	wantSame(t, disk, other, false)
	wantSame(t, disk, "/", false)
	mount(t, "--bind", filepath.Join(disk, "part"), bound)
	wantSame(t, bound, disk, true)
	mount(t, "-t", "overlay", "-o", "lowerdir="+disk+"/lower,upperdir="+disk+"/upper,workdir="+disk+"/work", "overlay", over)
	wantSame(t, over, disk, true)
	if err := os.WriteFile(filepath.Join(other, "x"), make([]byte, 1<<14), 0o600); err != nil {
		t.Fatal(err)
	}
	wantSame(t, over, other, false)
}

func TestSubvolumesShareTheirSpace(t *testing.T) {
	dir := t.TempDir()
	image, disk := filepath.Join(dir, "image"), filepath.Join(dir, "disk")
	if err := os.WriteFile(image, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(image, 130<<20); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "mkfs.btrfs", "-q", image).CombinedOutput(); err != nil {
		t.Skipf("mkfs.btrfs: %v: %s", err, out)
	}
	mount(t, "-o", "loop", image, disk)
	one, two, apart := filepath.Join(disk, "one"), filepath.Join(disk, "two"), filepath.Join(dir, "apart")
	for _, folder := range []string{one, two} {
		if out, err := exec.CommandContext(t.Context(), "btrfs", "subvolume", "create", folder).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	wantSame(t, one, two, true)
	wantSame(t, one, disk, true)
	wantSame(t, one, dir, false)
	// The mount of a subvolume names the same device.
	device := sourceOf(disk)
	mount(t, "-o", "subvol=two", device, apart)
	wantSame(t, one, apart, true)
}

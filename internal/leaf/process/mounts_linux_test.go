package process

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/prometheus/procfs"
)

func TestMountOf(t *testing.T) {
	list := []*procfs.MountInfo{{MountPoint: "/", Source: "root"}, {MountPoint: "/srv", Source: "srv"}, {MountPoint: "/srv/two words", Source: "two"}, {MountPoint: "/home", Source: "hidden"}, {MountPoint: "/home", Source: "home"}}
	for name, want := range map[string]string{
		"/": "root", "/usr/x": "root", "/srv": "srv", "/srv/a/b": "srv", "/srvs": "root", "/srv/two words/a": "two", "/home/a": "home",
	} {
		if got := MountOf(list, name); got == nil || got.Source != want {
			t.Errorf("%s: %+v, want %s", name, got, want)
		}
	}
	if got := MountOf(nil, "/a"); got != nil {
		t.Errorf("no mounts: %+v", got)
	}
}

func TestBelow(t *testing.T) {
	folder := filepath.Join(t.TempDir(), `two words \ and a link`)
	link := filepath.Join(t.TempDir(), "link")
	first, second := filepath.Join(folder, "a"), filepath.Join(folder, "a", "b")
	if err := os.MkdirAll(first, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(folder, link); err != nil {
		t.Fatal(err)
	}
	for _, at := range []string{first, second} {
		if err := os.MkdirAll(at, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mount("tmpfs", at, "tmpfs", 0, "size=64k"); err != nil {
			t.Skip("only root can mount:", err)
		}
		defer func() { _ = syscall.Unmount(at, syscall.MNT_DETACH) }()
	}
	got, err := MountsBelow(link)
	if err != nil || len(got) != 2 || got[0].MountPoint != second || got[1].MountPoint != first || got[0].FSType != "tmpfs" {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := MountsBelow(filepath.Dir(link)); err != nil || len(got) != 0 {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := MountsBelow("/no/such/folder"); err == nil {
		t.Error("no error for a folder that does not exist")
	}
}

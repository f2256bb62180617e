package process

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestMountOf(t *testing.T) {
	list := []Mount{{At: "/", Source: "root"}, {At: "/srv", Source: "srv"}, {At: "/srv/two words", Source: "two"}, {At: "/home", Source: "hidden"}, {At: "/home", Source: "home"}}
	for name, want := range map[string]string{
		"/": "root", "/usr/x": "root", "/srv": "srv", "/srv/a/b": "srv", "/srvs": "root", "/srv/two words/a": "two", "/home/a": "home",
	} {
		if got, ok := MountOf(list, name); !ok || got.Source != want {
			t.Errorf("%s: %+v, want %s", name, got, want)
		}
	}
	if got, ok := MountOf(nil, "/a"); ok {
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
	if err != nil || len(got) != 2 || got[0].At != second || got[1].At != first || got[0].Kind != "tmpfs" {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := MountsBelow(filepath.Dir(link)); err != nil || len(got) != 0 {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := MountsBelow("/no/such/folder"); err == nil {
		t.Error("no error for a folder that does not exist")
	}
}

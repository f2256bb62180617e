package kubernetes_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// A container is a process's view of the machine: a small read-only root, the network of
// its node, and only its own processes.
type container struct {
	Root     string
	Network  string // the file of the network namespace
	Hostname string
	Mounts   []mount
	Dir      string // where it starts
	UID, GID int
	Groups   []int
	Args     []string
	Env      []string
}

// A mount shows a file or folder of the machine in a container.
type mount struct {
	From, To string
	ReadOnly bool
}

// enter turns this process, which begins in new namespaces, into the process of the
// container that a file describes. It returns only with an error.
func enter(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var c container
	if err := json.Unmarshal(text, &c); err != nil {
		return err
	}
	runtime.LockOSThread() // the network is this thread's alone, until exec ends the others
	for _, step := range []func() error{c.network, c.mount, c.become} {
		if err := step(); err != nil {
			return err
		}
	}
	return fmt.Errorf("running %s: %w", c.Args[0], syscall.Exec(c.Args[0], c.Args, c.Env))
}

func (c container) network() error {
	file, err := os.Open(c.Network)
	if err != nil {
		return err
	}
	defer file.Close()
	return unix.Setns(int(file.Fd()), unix.CLONE_NEWNET)
}

func (c container) mount() error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("keeping mounts to itself: %w", err)
	}
	if err := bind(mount{From: c.Root, To: c.Root}); err != nil {
		return err
	}
	for _, m := range c.Mounts {
		m.To = filepath.Join(c.Root, m.To)
		if err := place(m); err != nil {
			return err
		}
		if err := bind(m); err != nil {
			return err
		}
	}
	proc := filepath.Join(c.Root, "proc")
	if err := unix.Mount("proc", proc, "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return fmt.Errorf("mounting proc: %w", err)
	}
	return unix.Mount("", c.Root, "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY, "")
}

// place makes the mount point: a folder for a folder, a file for a file.
func place(m mount) error {
	info, err := os.Stat(m.From)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return os.MkdirAll(m.To, 0o755)
	}
	if err := os.MkdirAll(filepath.Dir(m.To), 0o755); err != nil {
		return err
	}
	return os.WriteFile(m.To, nil, 0o444)
}

func bind(m mount) error {
	err := unix.Mount(m.From, m.To, "", unix.MS_BIND|unix.MS_REC, "")
	if err == nil && m.ReadOnly {
		err = unix.Mount("", m.To, "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY, "")
	}
	if err != nil {
		return fmt.Errorf("mounting %s at %s: %w", m.From, m.To, err)
	}
	return nil
}

// become takes the container's root, user and name. Without root's rights it has no capabilities, and
// cannot get any.
func (c container) become() error {
	steps := []struct {
		what string
		do   func() error
	}{
		{"name", func() error { return unix.Sethostname([]byte(c.Hostname)) }},
		{"root", func() error { return unix.Chroot(c.Root) }},
		{"folder", func() error { return unix.Chdir(c.Dir) }},
		{"groups", func() error { return syscall.Setgroups(c.Groups) }},
		{"group", func() error { return syscall.Setgid(c.GID) }},
		{"user", func() error { return syscall.Setuid(c.UID) }},
		{"privileges", func() error { return unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) }},
		{"end", func() error { return unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0) }},
	}
	for _, s := range steps {
		if err := s.do(); err != nil {
			return fmt.Errorf("the container's %s: %w", s.what, err)
		}
	}
	return nil
}

package disk

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/brokerbench/brokerbench/results"
)

// driveOf returns the kernel's folder of the drive below a mount; "" if there is none, or if several are.
func driveOf(root string, m mount) string {
	if m.device == "" {
		return ""
	}
	for _, name := range []string{"dev/block/" + m.device, "class/block/" + filepath.Base(m.source)} {
		dir, err := filepath.EvalSymlinks(filepath.Join(root, "sys", name))
		if err == nil {
			return below(dir)
		}
	}
	return ""
}

// below follows a partition to its drive, and a volume of the device mapper to the only drive below it.
func below(dir string) string {
	for range 8 { // volumes on volumes
		if _, err := os.Stat(filepath.Join(dir, "partition")); err == nil {
			dir = filepath.Dir(dir)
		}
		slaves, _ := filepath.Glob(filepath.Join(dir, "slaves/*"))
		if len(slaves) != 1 {
			return dir
		}
		next, err := filepath.EvalSymlinks(slaves[0])
		if err != nil {
			return dir
		}
		dir = next
	}
	return dir
}

// makers are in the models of drives that a hypervisor emulates.
var makers = []string{"QEMU", "VBOX", "VMware", "Virtual", "Amazon Elastic Block Store", "PersistentDisk"}

// describeDrive describes the drive of a folder of the kernel; nothing without one.
func describeDrive(d *results.Disk, dir string) {
	if dir == "" {
		return
	}
	line := func(name string) string {
		text, _ := os.ReadFile(filepath.Join(dir, name)) // unknown is empty
		return strings.TrimSpace(string(text))
	}
	d.Drive, d.Model, d.WriteCache = known(filepath.Base(dir)), known(line("device/model")), known(line("queue/write_cache"))
	if text := line("queue/rotational"); text != "" {
		rotates := text == "1"
		d.Rotational = &rotates
	}
	_, chosen, _ := strings.Cut(line("queue/scheduler"), "[")
	chosen, _, _ = strings.Cut(chosen, "]")
	d.Scheduler = known(chosen)
	made := func(by string) bool { return strings.Contains(line("device/model"), by) }
	virtual := strings.Contains(dir, "/devices/virtual/") || strings.Contains(dir, "/virtio") || strings.Contains(dir, "/vbd-") || slices.ContainsFunc(makers, made)
	d.Virtual = &virtual
}

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
	names := []string{"dev/block/" + m.device}
	if strings.HasPrefix(m.source, "/dev/") { // nas:/export/sda is on another machine
		names = append(names, "class/block/"+filepath.Base(m.source))
	}
	for _, name := range names {
		dir, err := filepath.EvalSymlinks(filepath.Join(root, "sys", name))
		if err == nil && m.device != "" {
			return below(dir)
		}
	}
	return ""
}

// below follows a partition to its drive, and a volume of the device mapper or a RAID to the only drive below
// it; "" if several are.
func below(dir string) (drive string) {
	if _, err := os.Stat(filepath.Join(dir, "partition")); err == nil {
		dir = filepath.Dir(dir)
	}
	slaves, _ := filepath.Glob(filepath.Join(dir, "slaves/*"))
	if len(slaves) == 0 {
		return dir
	}
	for i, slave := range slaves {
		next, err := filepath.EvalSymlinks(slave)
		if err != nil {
			return ""
		}
		if next = below(next); i > 0 && next != drive {
			return ""
		}
		drive = next
	}
	return drive
}

// makers are in the models of drives that a hypervisor emulates.
var makers = []string{"QEMU", "VBOX", "VMware", "Virtual", "Amazon Elastic Block Store", "PersistentDisk"}

// multipath is in the folders of NVMe drives with several paths.
const multipath = "/devices/virtual/nvme-subsystem/"

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
	virtual := strings.Contains(dir, "/devices/virtual/") && !strings.Contains(dir, multipath) || strings.Contains(dir, "/virtio") || strings.Contains(dir, "/vbd-") || slices.ContainsFunc(makers, made)
	d.Virtual = &virtual
}

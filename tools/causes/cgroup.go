//go:build linux

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// A cgroup is a group of processes whose CPU and writes can be limited: one folder in version 2 of cgroups, in
// version 1 one for each controller.
type cgroup struct{ cpu, io string }

const mountedAt = "/sys/fs/cgroup"

func newGroup(name string) (g cgroup, err error) {
	if g.second() {
		g.cpu = filepath.Join(mountedAt, name)
		g.io = g.cpu
		err = os.WriteFile(mountedAt+"/cgroup.subtree_control", []byte("+cpu +io"), 0)
	} else {
		g = cgroup{filepath.Join(mountedAt, "cpu", name), filepath.Join(mountedAt, "blkio", name)}
	}
	return g, errors.Join(err, os.MkdirAll(g.cpu, 0o755), os.MkdirAll(g.io, 0o755)) //nolint:gosec // as others are
}

// second reports whether this machine has version 2.
func (cgroup) second() bool {
	_, err := os.Stat(mountedAt + "/cgroup.controllers")
	return err == nil
}

// add moves processes into the group.
func (g cgroup) add(pids ...int) (err error) {
	for _, pid := range pids {
		text := []byte(strconv.Itoa(pid))
		for _, dir := range []string{g.cpu, g.io} {
			if e := os.WriteFile(filepath.Join(dir, "cgroup.procs"), text, 0); e != nil && alive(pid) {
				err = errors.Join(err, e)
			}
		}
	}
	return err
}

func alive(pid int) bool {
	_, err := os.Stat(fmt.Sprintf("/proc/%d", pid))
	return err == nil
}

// limitCPU allows so much processor time in every 100 ms; 0: any.
func (g cgroup) limitCPU(quota time.Duration) error {
	us := strconv.FormatInt(quota.Microseconds(), 10)
	if g.second() {
		if quota == 0 {
			us = "max"
		}
		return g.write(g.cpu, "cpu.max", us+" 100000")
	}
	if quota == 0 {
		us = "-1"
	}
	return g.write(g.cpu, "cpu.cfs_quota_us", us)
}

// limitWrites allows so many bytes a second to be written to a device, such as 254:0; 0: any.
func (g cgroup) limitWrites(device string, bytes int) error {
	if !g.second() {
		return g.write(g.io, "blkio.throttle.write_bps_device", fmt.Sprintf("%s %d", device, bytes))
	}
	limit := strconv.Itoa(bytes)
	if bytes == 0 {
		limit = "max"
	}
	return g.write(g.io, "io.max", device+" wbps="+limit)
}

func (cgroup) write(dir, file, text string) error {
	return os.WriteFile(filepath.Join(dir, file), []byte(text), 0)
}

// remove removes the group, for whose processes it waits: a JVM ends slowly.
func (g cgroup) remove() (err error) {
	for _, dir := range []string{g.cpu, g.io} {
		e := os.Remove(dir)
		for range 100 {
			if !errors.Is(e, syscall.EBUSY) {
				break
			}
			time.Sleep(100 * time.Millisecond)
			e = os.Remove(dir)
		}
		if !os.IsNotExist(e) {
			err = errors.Join(err, e)
		}
	}
	return err
}

package cgroup_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/machine/cgroup"
)

// system makes a root with the cgroup of this process, mounts (root, mount
// point, type, options), and files.
func system(t *testing.T, cgroup string, mounts []string, files map[string]string) (root string) {
	t.Helper()
	var lines strings.Builder
	for i, mount := range mounts {
		part := strings.Fields(mount)
		fmt.Fprintf(&lines, "%d 1 0:%d %s /%s rw - %s none %s\n", i+2, i, part[0], part[1], part[2], part[3])
	}
	root = t.TempDir()
	write := func(name, text string) {
		file := filepath.Join(root, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	write("proc/42/cgroup", cgroup+"\n")
	write("proc/42/mountinfo", lines.String())
	if err := os.Symlink("42", filepath.Join(root, "proc/self")); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		write(name, text)
	}
	return root
}

func TestThrottledByAnyQuotaAroundUs(t *testing.T) {
	const v1, v2 = "nr_periods 9\nnr_throttled 3\nthrottled_time 5000\n", "usage_usec 1\nnr_throttled 3\nthrottled_usec 7\n"
	allV2 := []string{"/ sys cgroup2 rw"}
	type files map[string]string // text by path
	for _, tt := range []struct {
		name, cgroup string
		mounts       []string
		files        files
		want         time.Duration // -1: unknown
	}{
		{"version 2 in a container", "0::/", allV2, files{"sys/cpu.stat": v2}, 7000},
		{
			"version 2 below a slice", "0::/user.slice/run", allV2,
			files{"sys/user.slice/run/cpu.stat": v2, "sys/cpu.stat": "usage_usec 1\n"},
			7000,
		},
		{
			"version 2 in a container of a pod with a quota", "0::/pod/run", allV2,
			files{"sys/pod/run/cpu.stat": v2, "sys/pod/run/cpu.max": "max 100000", "sys/pod/cpu.stat": v2, "sys/pod/cpu.max": "200000 100000"},
			14_000,
		},
		{"version 2, no quota anywhere", "0::/", allV2, files{"sys/cpu.stat": "usage_usec 1\n"}, 0},
		{"a quota, and no word of what it did", "0::/", allV2, files{"sys/cpu.max": "200000 100000"}, -1},
		{"version 1 in a pod with a quota", "1:cpu:/pod/run", []string{"/ sys cgroup rw,cpu"}, files{
			"sys/pod/run/cpu.stat": v1, "sys/pod/run/cpu.cfs_quota_us": "-1", "sys/pod/run/cpu.cfs_period_us": "100000",
			"sys/pod/cpu.stat": v1, "sys/pod/cpu.cfs_quota_us": "200000", "sys/pod/cpu.cfs_period_us": "100000",
		}, 10_000},
		{
			"version 1, whose tree the mount shows from our cgroup on", "3:memory:/docker/ab\n1:cpu,cpuacct:/docker/ab",
			[]string{"/docker/ab sys/memory cgroup rw,memory", "/docker/ab sys/cpu cgroup rw,cpu,cpuacct"},
			files{"sys/cpu/cpu.stat": v1, "sys/memory/cpu.stat": v2},
			5000,
		},
		{
			"both versions", "1:cpu:/\n0::/",
			[]string{"/ sys/2 cgroup2 rw", "/ sys/1 cgroup rw,cpu"},
			files{"sys/1/cpu.stat": v1, "sys/2/cpu.stat": v2},
			5000,
		},
		{
			"mounted twice, once without our cgroup", "0::/a",
			[]string{"/b sys/b cgroup2 rw", "/ sys/all cgroup2 rw"},
			files{"sys/b/cpu.stat": "throttled_usec 1\n", "sys/all/a/cpu.stat": v2},
			7000,
		},
		{
			"another's cgroup", "1:cpu:/docker/abc",
			[]string{"/docker/ab sys/cpu cgroup rw,cpu"},
			files{"sys/cpu/cpu.stat": v1, "sys/cpu/c/cpu.stat": v1},
			-1,
		},
		{"a name like a controller's", "5:name=cpu:/", []string{"/ sys/cpu cgroup rw,name=cpu"}, files{"sys/cpu/cpu.stat": v1}, -1},
	} {
		got, known := cgroup.Find(system(t, tt.cgroup, tt.mounts, tt.files), "cpu").Throttled()
		if known != (tt.want >= 0) || known && got != tt.want {
			t.Errorf("%s: got %v (known %v), want %d", tt.name, got, known, tt.want)
		}
	}
}

// Any limit around us counts, the smallest most; version 1 writes a large number for none.
func TestTheSmallestMemoryLimitAroundUs(t *testing.T) {
	const v1, none = "1:memory:/pod/run", "9223372036854771712"
	mounts, v2 := []string{"/ sys cgroup rw,memory"}, []string{"/ sys cgroup2 rw"}
	for _, tt := range []struct {
		name, cgroup string
		mounts       []string
		files        map[string]string
		want         int64 // 0: none
	}{
		{"version 1", v1, mounts, map[string]string{"sys/pod/run/memory.limit_in_bytes": "700", "sys/pod/memory.limit_in_bytes": "500", "sys/memory.limit_in_bytes": none}, 500},
		{"version 1, none", v1, mounts, map[string]string{"sys/pod/run/memory.limit_in_bytes": none}, 0},
		{"version 2", "0::/pod/run", v2, map[string]string{"sys/pod/run/memory.max": "500", "sys/pod/memory.max": "max"}, 500},
		{"version 2, none", "0::/pod/run", v2, map[string]string{"sys/pod/run/memory.max": "max"}, 0},
	} {
		got, limited := cgroup.Find(system(t, tt.cgroup, tt.mounts, tt.files), "memory").MemoryLimit()
		if got != tt.want || limited != (tt.want > 0) {
			t.Errorf("%s: got %d (limited %v), want %d", tt.name, got, limited, tt.want)
		}
	}
}

func FuzzGroup(f *testing.F) {
	f.Add("0::/a\n", "nr_throttled 2\nthrottled_usec 9223372036854775807", "max 100000")
	f.Add("3:cpu,memory:/a/b\n", "nr_periods 9\nthrottled_time 5000\n", "1 1")
	f.Add(":::", "throttled_usec -1\r\n\n", "9 0")
	f.Fuzz(func(t *testing.T, memberships, stat, limit string) {
		for _, kind := range []string{"cgroup rw,cpu,memory", "cgroup2 rw"} {
			root := system(t, memberships, []string{"/ sys " + kind}, map[string]string{
				"sys/a/cpu.stat": stat, "sys/a/cpu.max": limit, "sys/cpu.cfs_quota_us": limit, "sys/cpu.cfs_period_us": limit,
				"sys/a/memory.max": limit, "sys/a/memory.current": limit, "sys/a/memory.stat": stat,
			})
			for _, controller := range []string{"cpu", "memory"} {
				g := cgroup.Find(root, controller)
				throttled, _ := g.Throttled()
				stops, _ := g.Stops()
				cores, _, _ := g.Quota()
				left, _ := g.MemoryLeft()
				if throttled < 0 || stops < 0 || cores < 0 || left < 0 {
					t.Errorf("throttled %v, %d stops, %v cores, %d B left", throttled, stops, cores, left)
				}
			}
		}
	})
}

// How much CPU and memory this process may use: nothing is limited outside of a
// container, a service with limits, or Linux.
func ExampleFind() {
	root := "/"
	if cores, limited, _ := cgroup.Find(root, "cpu").Quota(); limited {
		fmt.Printf("a CPU quota of %.2f cores\n", cores)
	}
	if left, limited := cgroup.Find(root, "memory").MemoryLeft(); limited {
		fmt.Printf("%d MiB left\n", left>>20)
	}
}

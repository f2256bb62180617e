package machine

import (
	"fmt"
	"strings"
	"testing"
)

func TestThrottledByOurOwnCgroup(t *testing.T) {
	const v1, v2 = "nr_periods 9\nnr_throttled 3\nthrottled_time 5000\n", "usage_usec 1\nnr_throttled 3\nthrottled_usec 7\n"
	for _, tt := range []struct {
		name, cgroup string
		mounts       []string // root, mount point, type, options
		files        map[string]string
		want         int64 // -1: unknown
	}{
		{
			"version 2 in a container", "0::/",
			[]string{"/ sys cgroup2 rw"},
			map[string]string{"sys/cpu.stat": v2},
			7000,
		},
		{
			"version 2 below a slice", "0::/user.slice/run",
			[]string{"/ sys cgroup2 rw"},
			map[string]string{"sys/user.slice/run/cpu.stat": v2, "sys/cpu.stat": "usage_usec 1\n"},
			7000,
		},
		{
			"version 2 without the CPU controller", "0::/",
			[]string{"/ sys cgroup2 rw"},
			map[string]string{"sys/cpu.stat": "usage_usec 1\n"},
			-1,
		},
		{
			"version 1, whose tree the mount shows from our cgroup on", "3:memory:/docker/ab\n1:cpu,cpuacct:/docker/ab",
			[]string{"/docker/ab sys/memory cgroup rw,memory", "/docker/ab sys/cpu cgroup rw,cpu,cpuacct"},
			map[string]string{"sys/cpu/cpu.stat": v1, "sys/memory/cpu.stat": v2},
			5000,
		},
		{
			"both versions", "1:cpu:/\n0::/",
			[]string{"/ sys/2 cgroup2 rw", "/ sys/1 cgroup rw,cpu"},
			map[string]string{"sys/1/cpu.stat": v1, "sys/2/cpu.stat": v2},
			5000,
		},
		{
			"another's cgroup", "1:cpu:/docker/abc",
			[]string{"/docker/ab sys/cpu cgroup rw,cpu"},
			map[string]string{"sys/cpu/cpu.stat": v1, "sys/cpu/c/cpu.stat": v1},
			-1,
		},
		{
			"a name like a controller's", "5:name=cpu:/",
			[]string{"/ sys/cpu cgroup rw,name=cpu"},
			map[string]string{"sys/cpu/cpu.stat": v1},
			-1,
		},
	} {
		folder := t.TempDir()
		write(t, folder, tt.files)
		var mounts strings.Builder
		for i, mount := range tt.mounts {
			part := strings.Fields(mount)
			fmt.Fprintf(&mounts, "%d 1 0:%d %s %s/%s rw - %s none %s\n", i+2, i, part[0], folder, part[1], part[2], part[3])
		}
		p := openProc(fakeProc(t, map[string]string{"42/cgroup": tt.cgroup + "\n", "42/mountinfo": mounts.String()}))
		got := throttled(p.cpuStat)
		if got == nil && tt.want >= 0 || got != nil && *got != tt.want {
			t.Errorf("%s: got %v in %q, want %d", tt.name, got, p.cpuStat, tt.want)
		}
	}
}

func FuzzParseThrottled(f *testing.F) {
	f.Add("nr_periods 9\nthrottled_time 5000\n")
	f.Add("throttled_usec 9223372036854775807")
	f.Add("throttled_usec -1\r\n\n")
	f.Fuzz(func(t *testing.T, text string) {
		if got := parseThrottled(text); got != nil && *got < 0 {
			t.Errorf("%q: throttled for %d ns", text, *got)
		}
	})
}

package doctor

import (
	"context"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

// files makes a file system of paths and contents.
func files(pairs ...string) fs.FS {
	m := make(fstest.MapFS)
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = &fstest.MapFile{Data: []byte(pairs[i+1])}
	}
	return m
}

// named returns the finding of a name.
func named(t *testing.T, findings []Finding, name string) Finding {
	t.Helper()
	for _, f := range findings {
		if f.Name == name {
			return f
		}
	}
	t.Fatalf("no finding %q in %+v", name, findings)
	return Finding{}
}

// Each check has a system that is good, one that is bad, and one that does not
// tell.
func TestChecks(t *testing.T) {
	const clocksource = "sys/devices/system/clocksource/clocksource0/current_clocksource"
	const meminfo = "proc/meminfo"
	type check func(root fs.FS) []Finding
	one := func(f func(root fs.FS, n Needs) Finding) check {
		return func(root fs.FS) []Finding {
			return []Finding{f(root, Needs{Connections: 1000, Size: 1024, Senders: 1})}
		}
	}
	v2 := func(limit, stat string) fs.FS {
		return files("proc/self/cgroup", "0::/a/b\n", "sys/fs/cgroup/a/b/cpu.max", limit, "sys/fs/cgroup/a/b/cpu.stat", stat)
	}
	v1 := func(quota, stat string) fs.FS {
		return files("proc/self/cgroup", "12:memory:/x\n3:cpu,cpuacct:/y\n0::/\n", "sys/fs/cgroup/cpu/y/cpu.cfs_quota_us", quota,
			"sys/fs/cgroup/cpu/y/cpu.cfs_period_us", "100000\n", "sys/fs/cgroup/cpu/y/cpu.stat", stat)
	}
	for _, tt := range []struct {
		name  string
		check check
		root  fs.FS
		state State
		says  string
	}{
		{"clock source", clocks, files(clocksource, "tsc\n"), Good, "tsc"},
		{"clock source", clocks, files(clocksource, "hpet\n"), Bad, "hpet"},
		{"clock source", clocks, files(), Unknown, "does not tell"},
		{"governor", func(r fs.FS) []Finding { return []Finding{governor(r)} }, files("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n"), Good, "performance"},
		{"governor", func(r fs.FS) []Finding { return []Finding{governor(r)} }, files("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n",
			"sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "powersave\n"), Bad, "performance, powersave"},
		{"governor", func(r fs.FS) []Finding { return []Finding{governor(r)} }, files(), Unknown, "host decides"},
		{"CPU quota", quota, v2("max 100000\n", "nr_throttled 0\n"), Good, "none"},
		{"CPU quota", quota, v2("150000 100000\n", "nr_throttled 0\n"), Bad, "1.50 cores"},
		{"CPU quota", quota, v1("-1\n", "nr_throttled 0\n"), Good, "none"},
		{"CPU quota", quota, v1("50000\n", "nr_throttled 0\n"), Bad, "0.50 cores"},
		{"CPU quota", quota, files(), Unknown, "no cgroup"},
		{"CPU quota", quota, v2("much\n", ""), Unknown, "no cgroup"},
		{"throttling", quota, v2("max 100000\n", "nr_periods 5\nnr_throttled 0\n"), Good, "0 times"},
		{"throttling", quota, v1("-1\n", "nr_throttled 7\n"), Bad, "7 times"},
		{"throttling", quota, v2("max 100000\n", ""), Unknown, "does not tell"},
		{"local ports", one(ports), files("proc/sys/net/ipv4/ip_local_port_range", "32768\t60999\n", "proc/net/sockstat", "sockets: used 9\nTCP: inuse 100 orphan 0 tw 50 alloc 1 mem 1\n"), Good, "28232, 150 sockets in use or waiting, 2000 wanted"},
		{"local ports", one(ports), files("proc/sys/net/ipv4/ip_local_port_range", "60000 61000\n"), Bad, "1001"},
		{"local ports", one(ports), files(), Unknown, "does not tell"},
		{"memory", one(memory), files(meminfo, "MemTotal: 9 kB\nMemAvailable:    4194304 kB\n"), Good, "4096 MiB available, some 206 MiB wanted"},
		{"memory", one(memory), files(meminfo, "MemAvailable:    100000 kB\n"), Bad, "97 MiB available"},
		{"memory", one(memory), files(meminfo, "MemAvailable: lots\n"), Unknown, "does not tell"},
		{"swap", func(r fs.FS) []Finding { return []Finding{swap(r)} }, files(meminfo, "SwapTotal: 2048 kB\nSwapFree: 2048 kB\n"), Good, "0 of 2 MiB"},
		{"swap", func(r fs.FS) []Finding { return []Finding{swap(r)} }, files(meminfo, "SwapTotal: 2048 kB\nSwapFree: 1024 kB\n"), Bad, "1 of 2 MiB"},
		{"swap", func(r fs.FS) []Finding { return []Finding{swap(r)} }, files(), Unknown, "does not tell"},
	} {
		f := named(t, tt.check(tt.root), tt.name)
		if f.State != tt.state || !strings.Contains(f.Value, tt.says) || (f.Remedy != "") != (tt.state == Bad) {
			t.Errorf("%s: %+v, want %s saying %q, and a remedy only if bad", tt.name, f, tt.state, tt.says)
		}
	}
}

func TestContention(t *testing.T) {
	stat := func(user, idle, steal int) times {
		return readTimes(files("proc/stat", fmt.Sprintf("cpu  %d 0 0 %d 0 0 0 %d 0 0\ncpu0 1 1\n", user, idle, steal)))
	}
	for _, tt := range []struct {
		before, after times
		busy, steal   State
		value         string
	}{
		{stat(100, 100, 0), stat(140, 160, 0), Good, Good, "40 %"},
		{stat(100, 100, 0), stat(160, 140, 0), Bad, Good, "60 %"},
		{stat(100, 100, 0), stat(140, 157, 3), Good, Bad, "43 %"},
		{stat(100, 100, 0), stat(100, 100, 0), Unknown, Unknown, "does not tell"},
		{times{}, stat(1, 1, 1), Unknown, Unknown, "does not tell"},
		{readTimes(files("proc/stat", "cpu x y z\n")), readTimes(files("proc/stat", "cpu 1 2 3 a 5 6 7 8\n")), Unknown, Unknown, "does not tell"},
	} {
		got := contention(tt.before, tt.after)
		if got[0].State != tt.busy || got[1].State != tt.steal || !strings.Contains(got[0].Value, tt.value) {
			t.Errorf("%+v, %+v: %+v", tt.before, tt.after, got)
		}
	}
}

func TestLimits(t *testing.T) {
	for _, tt := range []struct {
		got  Finding
		want State
	}{
		{openFiles(1024, true, Needs{Connections: 480}), Good},
		{openFiles(1024, true, Needs{Connections: 481}), Bad},
		{openFiles(0, false, Needs{}), Unknown},
		{cores(4, Needs{Senders: 2}), Good},
		{cores(3, Needs{Senders: 2}), Bad},
	} {
		if tt.got.State != tt.want {
			t.Errorf("%+v, want %s", tt.got, tt.want)
		}
	}
}

// On this machine: every check is there once, and the timers were tried.
func TestExamine(t *testing.T) {
	findings := Examine(t.Context(), Needs{})
	seen := make(map[string]bool)
	for _, f := range findings {
		if seen[f.Name] || f.Value == "" || (f.State == Bad) != (f.Remedy != "") {
			t.Errorf("%+v", f)
		}
		seen[f.Name] = true
	}
	if len(findings) != 16 {
		t.Errorf("%d findings, want 16: %+v", len(findings), findings)
	}
}

func TestExamineEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	start := time.Now()
	findings := Examine(ctx, Needs{})
	if took := time.Since(start); took > time.Second || len(findings) > 6 {
		t.Errorf("%d findings in %v", len(findings), took)
	}
}

func FuzzFiles(f *testing.F) {
	f.Add("cpu 1 2 3 4 5 6 7 8\n", "0::/a\n3:cpu:/b\n", "MemAvailable: 1 kB\nSwapTotal: 1 kB\n", "32768 60999", "TCP: inuse 1 tw 2")
	f.Add("", ":::", "MemAvailable:", "1", "TCP:")
	f.Fuzz(func(t *testing.T, stat, cgroup, meminfo, portRange, sockstat string) {
		root := files("proc/stat", stat, "proc/self/cgroup", cgroup, "proc/meminfo", meminfo, "proc/net/sockstat", sockstat,
			"proc/sys/net/ipv4/ip_local_port_range", portRange, "sys/fs/cgroup/a/cpu.max", stat, "sys/fs/cgroup/a/cpu.stat", meminfo)
		for _, finding := range append(quota(root), memory(root, Needs{}), swap(root), ports(root, Needs{}), contention(readTimes(root), readTimes(root))[0]) {
			if finding.State == "" || finding.Value == "" {
				t.Errorf("%+v", finding)
			}
		}
	})
}

func ExampleExamine() {
	for _, f := range Examine(context.Background(), Needs{Connections: 25, Size: 1024}) {
		if f.Name == "clock" {
			fmt.Println(f.Name, f.State != Unknown)
		}
	}
	// Output: clock true
}

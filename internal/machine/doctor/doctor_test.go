package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/internal/machine"
	"github.com/brokerbench/brokerbench/results"
)

// files makes the machine of a root folder with these paths and contents, in which we are process 42.
func files(t *testing.T, pairs ...string) machine.System {
	t.Helper()
	root := t.TempDir()
	for i := 0; i < len(pairs); i += 2 {
		file := filepath.Join(root, strings.Replace(pairs[i], "proc/self/", "proc/42/", 1))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(pairs[i+1]), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	_ = os.MkdirAll(filepath.Join(root, "proc"), 0o700)
	if err := os.Symlink("42", filepath.Join(root, "proc/self")); err != nil {
		t.Fatal(err)
	}
	return machine.ReadSystem(root)
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
	type check func(machine.System) []Finding
	one := func(f func(s machine.System, n Needs) Finding) check {
		return func(s machine.System) []Finding {
			return []Finding{f(s, Needs{Connections: 1000, Size: 1024, Senders: 1})}
		}
	}
	host := func(f func(s machine.System) Finding) check {
		return func(s machine.System) []Finding { return []Finding{f(s)} }
	}
	const (
		mountV2 = "31 23 0:28 / /sys/fs/cgroup rw,relatime - cgroup2 cgroup2 rw\n"
		mountV1 = "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct\n" +
			"33 31 0:30 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
	)
	quotas := func(s machine.System) []Finding { return quota(readBandwidth(s), readBandwidth(s)) }
	v2 := func(limit, stat string) machine.System {
		return files(t, "proc/self/mountinfo", mountV2, "proc/self/cgroup", "0::/a/b\n", "sys/fs/cgroup/a/b/cpu.max", limit, "sys/fs/cgroup/a/b/cpu.stat", stat)
	}
	v1 := func(quota, stat string) machine.System {
		return files(t, "proc/self/mountinfo", mountV1, "proc/self/cgroup", "12:memory:/x\n3:cpu,cpuacct:/y\n0::/\n", "sys/fs/cgroup/cpu,cpuacct/y/cpu.cfs_quota_us", quota,
			"sys/fs/cgroup/cpu,cpuacct/y/cpu.cfs_period_us", "100000\n", "sys/fs/cgroup/cpu,cpuacct/y/cpu.stat", stat)
	}
	for _, tt := range []struct {
		name  string
		check check
		root  machine.System
		state State
		says  string
	}{
		{"clock source", clocks, files(t, clocksource, "tsc\n"), Good, "tsc"},
		{"clock source", clocks, files(t, clocksource, "hpet\n"), Bad, "hpet"},
		{"clock source", clocks, files(t), Unknown, "does not tell"},
		{"governor", host(governor), files(t, "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n"), Good, "performance"},
		{"governor", host(governor), files(t, "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n",
			"sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "powersave\n"), Bad, "performance, powersave"},
		{"governor", host(governor), files(t), Unknown, "host decides"},
		{"turbo", host(turbo), files(t, "sys/devices/system/cpu/intel_pstate/no_turbo", "1\n"), Good, "off"},
		{"turbo", host(turbo), files(t, "sys/devices/system/cpu/intel_pstate/no_turbo", "0\n"), Bad, "on"},
		{"turbo", host(turbo), files(t, "sys/devices/system/cpu/cpufreq/boost", "0\n"), Good, "off"},
		{"turbo", host(turbo), files(t, "sys/devices/system/cpu/cpufreq/boost", "1\n"), Bad, "on"},
		{"turbo", host(turbo), files(t), Unknown, "host decides"},
		{"kernel", host(kernel), files(t, "proc/sys/kernel/ostype", "Linux\n", "proc/sys/kernel/osrelease", "6.1.0\n"), Note, "Linux 6.1.0"},
		{"kernel", host(kernel), files(t), Unknown, "does not tell"},
		{"virtual machine", host(virtual), files(t, "proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu hypervisor sse\n", "sys/class/dmi/id/sys_vendor", "QEMU\n"), Note, "yes QEMU"},
		{"virtual machine", host(virtual), files(t, "proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu sse\n"), Note, "no"},
		{"virtual machine", host(virtual), files(t, "sys/class/dmi/id/sys_vendor", "QEMU\n"), Note, "perhaps: QEMU"},
		{"virtual machine", host(virtual), files(t, "proc/cpuinfo", "processor\t: 0\nFeatures : fp asimd\n"), Unknown, "does not tell"},
		{"CPU quota", quotas, v2("max 100000\n", "nr_throttled 0\n"), Good, "none"},
		{"CPU quota", quotas, v2("150000 100000\n", "nr_throttled 0\n"), Bad, "1.50 cores"},
		{"CPU quota", quotas, v1("-1\n", "nr_throttled 0\n"), Good, "none"},
		{"CPU quota", quotas, v1("50000\n", "nr_throttled 0\n"), Bad, "0.50 cores"},
		{"CPU quota", quotas, files(t), Unknown, "no cgroup"},
		{"CPU quota", quotas, v2("much\n", ""), Unknown, "no cgroup"},
		// The quota of the group around ours: a systemd slice, a pod.
		{"CPU quota", quotas, files(t, "proc/self/mountinfo", mountV2, "proc/self/cgroup", "0::/a/b\n", "sys/fs/cgroup/a/b/cpu.max", "max 100000\n",
			"sys/fs/cgroup/a/cpu.max", "50000 100000\n"), Bad, "0.50 cores"},
		// A container that sees its own group alone, under the host's name.
		{"CPU quota", quotas, files(t, "proc/self/mountinfo", "9 8 0:9 /docker/x /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpu\n", "proc/self/cgroup", "3:cpu:/docker/x\n",
			"sys/fs/cgroup/cpu/cpu.cfs_quota_us", "50000\n", "sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n"), Bad, "0.50 cores"},
		{"CPU quota", quotas, files(t, "proc/self/mountinfo", mountV2, "proc/self/cgroup", "0::/../../x\n", "sys/fs/cgroup/cpu.max", "200000 100000\n"), Bad, "2.00 cores"},
		{"throttling", quotas, v2("max 100000\n", "nr_periods 5\nnr_throttled 0\n"), Good, "0 times"},
		{"throttling", quotas, v1("-1\n", "nr_throttled 7\n"), Good, "0 times meanwhile, 7 before"},
		{"throttling", quotas, v2("max 100000\n", ""), Unknown, "does not tell"},
		{"local ports", one(ports), files(t, "proc/sys/net/ipv4/ip_local_port_range", "32768\t60999\n", "proc/net/sockstat", "sockets: used 9\nTCP: inuse 100 orphan 0 tw 50 alloc 1 mem 1\n"), Good, "28232, 150 sockets in use or waiting, 2000 wanted"},
		{"local ports", one(ports), files(t, "proc/sys/net/ipv4/ip_local_port_range", "60000 61000\n"), Bad, "1001"},
		{"local ports", one(ports), files(t), Unknown, "does not tell"},
		{"memory", one(memory), files(t, meminfo, "MemTotal: 9 kB\nMemAvailable:    4194304 kB\n"), Good, "4096 MiB available, some 206 MiB wanted"},
		{"memory", one(memory), files(t, meminfo, "MemAvailable:    100000 kB\n"), Bad, "97 MiB available"},
		{"memory", one(memory), files(t, meminfo, "MemAvailable:    4194304 kB\n", "proc/self/mountinfo", mountV2, "proc/self/cgroup", "0::/a\n", "sys/fs/cgroup/a/memory.max", "max\n",
			"sys/fs/cgroup/memory.max", "50000000\n", "sys/fs/cgroup/memory.current", "40000000\n", "sys/fs/cgroup/memory.stat", "inactive_file 1048576\n"), Bad, "10 MiB available in the cgroup"},
		{"memory", one(memory), files(t, meminfo, "MemAvailable:    4194304 kB\n", "proc/self/mountinfo", mountV1, "proc/self/cgroup", "4:memory:/x\n",
			"sys/fs/cgroup/memory/x/memory.limit_in_bytes", "50000000\n", "sys/fs/cgroup/memory/x/memory.usage_in_bytes", "40000000\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n", "sys/fs/cgroup/memory/memory.usage_in_bytes", "1\n"), Bad, "9 MiB available in the cgroup"},
		{"memory", one(memory), files(t, meminfo, "MemAvailable: lots\n"), Unknown, "does not tell"},
		{"memory", one(memory), files(t, meminfo, "MemAvailable: 23240704 kB\n"), Good, "22.2 GiB available"},
		{"swap", host(swap), files(t, meminfo, "SwapTotal: 0 kB\nSwapFree: 0 kB\n"), Good, "none"},
		{"swap", host(swap), files(t, meminfo, "SwapTotal: 2048 kB\nSwapFree: 2048 kB\n"), Good, "0 of 2 MiB"},
		{"swap", host(swap), files(t, meminfo, "SwapTotal: 2048 kB\nSwapFree: 1024 kB\n"), Bad, "1 of 2 MiB"},
		{"swap", host(swap), files(t), Unknown, "does not tell"},
	} {
		f := named(t, tt.check(tt.root), tt.name)
		if f.State != tt.state || !strings.Contains(f.Value, tt.says) || (f.Remedy != "") != (tt.state == Bad) {
			t.Errorf("%s: %+v, want %s saying %q, and a remedy only if bad", tt.name, f, tt.state, tt.says)
		}
	}
}

func TestContention(t *testing.T) {
	for _, tt := range []struct {
		own         float64 // cores
		machine     *results.MachineUsage
		busy, steal State
		value       string
	}{
		{0.4, &results.MachineUsage{CPUs: 2, BusyCores: 0.6}, Good, Good, "10 %"},
		{0.4, &results.MachineUsage{CPUs: 2, BusyCores: 1}, Bad, Good, "30 %"},
		{0.4, &results.MachineUsage{CPUs: 2, BusyCores: 0.3}, Good, Good, "0 %"},
		{0.4, &results.MachineUsage{CPUs: 2, BusyCores: 0.5, StealCores: 0.06}, Good, Bad, "5 %"},
		{1, &results.MachineUsage{CPUs: 64, BusyCores: 2, StealCores: 0.3}, Good, Bad, "2 %"},
		{1, &results.MachineUsage{CPUs: 64, BusyCores: 30, Confined: &results.CPUUsage{CPUs: 2, BusyCores: 1}}, Good, Good, "0 %"},
		{0.4, &results.MachineUsage{CPUs: 2}, Unknown, Unknown, "does not tell"},
		{0.4, nil, Unknown, Unknown, "does not tell"},
	} {
		got := contention(results.Usage{Process: results.ProcessUsage{CPUCores: tt.own}, Machine: tt.machine})
		if got[0].State != tt.busy || got[1].State != tt.steal || !strings.Contains(got[0].Value, tt.value) {
			t.Errorf("%v of %+v: %+v", tt.own, tt.machine, got)
		}
	}
}

// A quota that ran out long ago is no reason to do anything; one that runs out now
// is.
func TestThrottlingIsWhatHappensNow(t *testing.T) {
	before := bandwidth{known: true, stops: 7, stopsKnown: true}
	after := bandwidth{known: true, stops: 9, stopsKnown: true}
	if f := named(t, quota(before, after), "throttling"); f.State != Bad || !strings.Contains(f.Value, "2 times meanwhile, 7 before") {
		t.Errorf("%+v", f)
	}
}

func TestLimits(t *testing.T) {
	for _, tt := range []struct {
		got  Finding
		want State
	}{
		{openFiles(1024, true, Needs{Connections: 480}), Good},
		{openFiles(1024, true, Needs{Connections: 481}), Bad},
		{openFiles(1024, true, Needs{Connections: 240, Sockets: 4}), Good},
		{openFiles(1024, true, Needs{Connections: 241, Sockets: 4}), Bad},
		{openFiles(0, false, Needs{}), Unknown},
		{cores(machine.Cores{CPUs: 4, Procs: 4}, Needs{Senders: 2}), Good},
		{cores(machine.Cores{CPUs: 3, Procs: 3}, Needs{Senders: 2}), Bad},
		{cores(machine.Cores{CPUs: 4, Procs: 3}, Needs{Senders: 2}), Bad},
		{cores(machine.Cores{CPUs: 64, Quota: 4, Procs: 64}, Needs{Senders: 2}), Good},
		{cores(machine.Cores{CPUs: 64, Quota: 2, Procs: 64}, Needs{Senders: 2}), Bad},
	} {
		if tt.got.State != tt.want {
			t.Errorf("%+v, want %s", tt.got, tt.want)
		}
	}
}

// On this machine: every check is there once, and the timers were tried.
func TestExamine(t *testing.T) {
	e := Examine(t.Context(), Needs{Data: t.TempDir()})
	findings := e.Findings
	seen := make(map[string]bool)
	for _, f := range findings {
		if seen[f.Name] || f.Value == "" || (f.State == Bad) != (f.Remedy != "") {
			t.Errorf("%+v", f)
		}
		seen[f.Name] = true
	}
	if len(findings) != 21 {
		t.Errorf("%d findings, want 21: %+v", len(findings), findings)
	}
	for _, q := range e.Questions {
		for _, check := range q.Checks {
			if !seen[check] {
				t.Errorf("%+v rests on %s, which is no finding", q, check)
			}
		}
	}
	for _, q := range asked(Needs{}) {
		for _, d := range q.doubts {
			if !seen[d.check] {
				t.Errorf("%s doubts %s, which is no finding", q.name, d.check)
			}
		}
	}
	if len(e.Questions) != len(asked(Needs{})) {
		t.Errorf("%d questions", len(e.Questions))
	}
}

func TestExamineEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	start := time.Now()
	e := Examine(ctx, Needs{})
	if took := time.Since(start); took > time.Second || len(e.Findings) > 8 || e.Questions != nil {
		t.Errorf("%d findings and %d questions in %v", len(e.Findings), len(e.Questions), took)
	}
}

func FuzzFiles(f *testing.F) {
	f.Add("cpu 1 2 3 4 5 6 7 8\n", "0::/a\n3:cpu:/b\n", "MemAvailable: 1 kB\nSwapTotal: 1 kB\n", "32768 60999", "TCP: inuse 1 tw 2")
	f.Add("1 1", "9 8 0:9 /a /sys/../.. ro - cgroup cgroup rw,cpu\n3:cpu,memory:/a/b\n", "nr_throttled 1", "", "")
	f.Add("", ":::", "MemAvailable:", "1", "TCP:")
	f.Fuzz(func(t *testing.T, stat, cgroup, meminfo, portRange, sockstat string) {
		s := files(t, "proc/cpuinfo", stat, "proc/self/mountinfo", cgroup+"\n9 8 0:9 / /sys/fs/cgroup ro - cgroup2 cgroup rw\n", "proc/self/cgroup", cgroup, "proc/meminfo", meminfo, "proc/net/sockstat", sockstat,
			"proc/sys/net/ipv4/ip_local_port_range", portRange, "sys/fs/cgroup/a/cpu.max", stat, "sys/fs/cgroup/a/cpu.stat", meminfo)
		for _, finding := range append(quota(readBandwidth(s), readBandwidth(s)), virtual(s), memory(s, Needs{}), swap(s), ports(s, Needs{})) {
			if finding.State == "" || finding.Value == "" {
				t.Errorf("%+v", finding)
			}
		}
	})
}

func ExampleExamine() {
	for _, f := range Examine(context.Background(), Needs{Connections: 25, Size: 1024}).Findings {
		if f.Name == "clock" {
			fmt.Println(f.Name, f.State != Unknown)
		}
	}
	// Output: clock true
}

// A limit of open files that the connections surely exceed is an error with its remedy.
func TestCheckFiles(t *testing.T) {
	limit, known := fileLimit()
	if !known || limit > 1<<30 {
		t.Skip("the system has no limit")
	}
	if err := (Needs{Connections: 10}).CheckFiles(); err != nil {
		t.Error(err)
	}
	n := Needs{Connections: int(limit)}
	if err := n.CheckFiles(); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("ulimit -n %d", 2*limit+otherFiles)) {
		t.Errorf("%v", err)
	}
	if err := (Needs{Connections: int(limit) / 2, Sockets: 4}).CheckFiles(); err == nil {
		t.Error("three sockets a connection are not refused")
	}
}

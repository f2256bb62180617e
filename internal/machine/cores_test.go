package machine

import (
	"strings"
	"testing"
)

// tree makes a root folder: path, text, and so on. We are process 42.
func tree(t *testing.T, parts ...string) (root string) {
	t.Helper()
	files := make(map[string]string)
	for i := 0; i < len(parts); i += 2 {
		files["../"+strings.Replace(parts[i], "proc/self/", "proc/42/", 1)] = parts[i+1]
	}
	return fakeProc(t, files)
}

func TestAPodMayUseWhatItsQuotaAllows(t *testing.T) {
	const (
		mountV1 = "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
		mountV2 = "32 31 0:29 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"
	)
	v1 := tree(t, "proc/self/mountinfo", mountV1, "proc/self/cgroup", "4:cpu,cpuacct:/pods/a/run\n",
		"sys/fs/cgroup/cpu/pods/a/run/cpu.cfs_quota_us", "-1\n", "sys/fs/cgroup/cpu/pods/a/run/cpu.cfs_period_us", "100000\n",
		"sys/fs/cgroup/cpu/pods/a/cpu.cfs_quota_us", "200000\n", "sys/fs/cgroup/cpu/pods/a/cpu.cfs_period_us", "100000\n")
	v2 := tree(t, "proc/self/mountinfo", mountV2, "proc/self/cgroup", "0::/pods/a/run\n",
		"sys/fs/cgroup/pods/a/run/cpu.max", "max 100000\n", "sys/fs/cgroup/pods/a/cpu.max", "200000 100000\n")
	half := tree(t, "proc/self/mountinfo", mountV2, "proc/self/cgroup", "0::/\n", "sys/fs/cgroup/cpu.max", "50000 100000\n")
	for _, tt := range []struct {
		name                 string
		root                 string
		cpus, procs, senders int
		want                 float64
	}{
		{"a pod of 2 on a node of 64, version 1", v1, 64, 64, 1, 2},
		{"a pod of 2 on a node of 64, version 2", v2, 64, 64, 1, 2},
		{"half a core", half, 64, 2, 1, 0.5},
		{"no quota", tree(t, "proc/cpuinfo", ""), 64, 64, 1, 64},
		{"two CPUs in the mask", tree(t, "proc/cpuinfo", ""), 2, 64, 1, 2},
		{"GOMAXPROCS 4", tree(t, "proc/cpuinfo", ""), 64, 4, 1, 4},
		{"GOMAXPROCS 1, which the engine raises to 3", tree(t, "proc/cpuinfo", ""), 64, 1, 2, 3},
		{"a quota above GOMAXPROCS", v2, 64, 1, 0, 1},
		{"no information", tree(t, "proc/self/mountinfo", mountV2), 2, 2, 1, 2},
	} {
		if got := readCores(tt.root, tt.cpus, tt.procs).Usable(tt.senders); got != tt.want {
			t.Errorf("%s: %v cores, want %v", tt.name, got, tt.want)
		}
	}
}

func TestCoresOfThisProcess(t *testing.T) {
	if c := ReadCores(); c.Usable(1) <= 0 || c.Usable(1) > float64(c.CPUs) {
		t.Errorf("%+v: %v cores usable", c, c.Usable(1))
	}
}

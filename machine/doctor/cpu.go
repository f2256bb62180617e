package doctor

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// What is good enough, as parts of all cores.
const (
	mostSteal = 0.01
	mostBusy  = 0.5 // this process's own share included, which is some 0.3 of a core
)

// times are the machine's CPU times since it was booted, in ticks.
type times struct {
	all, idle, steal float64
	known            bool
}

// readTimes reads the first line of /proc/stat: user, nice, system, idle, iowait,
// irq, softirq, steal; guest is in user.
func readTimes(root fs.FS) (t times) {
	text, ok := line(root, "proc/stat")
	fields := strings.Fields(text)
	if !ok || len(fields) < 9 || fields[0] != "cpu" {
		return times{}
	}
	for i, field := range fields[1:9] {
		ticks, err := strconv.ParseFloat(field, 64)
		if err != nil {
			return times{}
		}
		t.all += ticks
		switch i {
		case 3, 4:
			t.idle += ticks
		case 7:
			t.steal += ticks
		}
	}
	t.known = true
	return t
}

// contention says how busy the machine was between two looks, and what the hypervisor
// took.
func contention(before, after times) []Finding {
	all := after.all - before.all
	if !before.known || !after.known || all <= 0 {
		return []Finding{unknown("busy", "the system does not tell"), unknown("steal", "the system does not tell")}
	}
	busy, steal := 1-(after.idle-before.idle)/all, (after.steal-before.steal)/all
	return []Finding{
		judge("busy", fmt.Sprintf("%.0f %% of all cores, this command included", 100*busy), busy <= mostBusy, "stop what else runs here (top)"),
		judge("steal", fmt.Sprintf("%.1f %% taken by the hypervisor", 100*steal), steal <= mostSteal, "a machine whose cores are its own, or another host"),
	}
}

// cores compares the cores with what sends, receives and is measured here.
func cores(cpus int, needs Needs) Finding {
	want := needs.Senders + 2
	return judge("cores", fmt.Sprintf("%d, for %d that send, the replies, and one to spare", cpus, needs.Senders), cpus >= want,
		fmt.Sprintf("a machine with %d cores or more; if the broker is on this one, too, it needs its own besides", want))
}

// governor looks at how the kernel chooses the cores' frequencies.
func governor(root fs.FS) Finding {
	paths, _ := fs.Glob(root, "sys/devices/system/cpu/cpu*/cpufreq/scaling_governor")
	var found []string
	for _, p := range paths {
		if g, ok := line(root, p); ok && !slices.Contains(found, g) {
			found = append(found, g)
		}
	}
	if len(found) == 0 {
		return unknown("governor", "the system does not tell; in a virtual machine the host decides")
	}
	return judge("governor", strings.Join(found, ", "), slices.Equal(found, []string{"performance"}), "cpupower frequency-set -g performance")
}

// quota looks at the CPU quota of this process's cgroup, of either version, and
// at how often it ran out.
func quota(root fs.FS) []Finding {
	limit, folder := cgroupQuota(root)
	remedy := "lift the quota (docker --cpus, systemd CPUQuota=, kubernetes limits.cpu), or raise it to whole cores"
	if folder == "" {
		return []Finding{unknown("CPU quota", "no cgroup with a CPU controller"), unknown("throttling", "no cgroup with a CPU controller")}
	}
	findings := []Finding{judge("CPU quota", limit, limit == noQuota, remedy)}
	n, known := throttled(root, folder)
	if !known {
		return append(findings, unknown("throttling", "the system does not tell"))
	}
	return append(findings, judge("throttling", fmt.Sprintf("%d times since the cgroup was made", n), n == 0, remedy))
}

const noQuota = "none"

// cgroupQuota returns the quota in words and the cgroup's folder; "" if there is
// none.
func cgroupQuota(root fs.FS) (limit, folder string) {
	text, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return "", ""
	}
	for entry := range strings.Lines(string(text)) {
		parts := strings.SplitN(strings.TrimSpace(entry), ":", 3)
		if len(parts) != 3 {
			continue
		}
		own := strings.TrimPrefix(parts[2], "/")
		switch controllers := strings.Split(parts[1], ","); {
		case parts[1] == "":
			folder = path.Join("sys/fs/cgroup", own)
			if l, ok := quotaV2(root, folder); ok {
				return l, folder
			}
		case slices.Contains(controllers, "cpu"):
			folder = path.Join("sys/fs/cgroup/cpu", own)
			if l, ok := quotaV1(root, folder); ok {
				return l, folder
			}
		}
	}
	return "", ""
}

// quotaV2 reads cpu.max: "max 100000" or "50000 100000".
func quotaV2(root fs.FS, folder string) (string, bool) {
	text, ok := line(root, path.Join(folder, "cpu.max"))
	fields := strings.Fields(text)
	if !ok || len(fields) != 2 {
		return "", false
	}
	if fields[0] == "max" {
		return noQuota, true
	}
	return inCores(fields[0], fields[1])
}

func quotaV1(root fs.FS, folder string) (string, bool) {
	quota, ok1 := line(root, path.Join(folder, "cpu.cfs_quota_us"))
	period, ok2 := line(root, path.Join(folder, "cpu.cfs_period_us"))
	if !ok1 || !ok2 {
		return "", false
	}
	if strings.HasPrefix(quota, "-") {
		return noQuota, true
	}
	return inCores(quota, period)
}

func inCores(quota, period string) (string, bool) {
	q, err1 := strconv.ParseFloat(quota, 64)
	p, err2 := strconv.ParseFloat(period, 64)
	if err1 != nil || err2 != nil || p <= 0 {
		return "", false
	}
	return fmt.Sprintf("%.2f cores", q/p), true
}

// throttled reads how often the quota ran out.
func throttled(root fs.FS, folder string) (n int64, known bool) {
	text, err := fs.ReadFile(root, path.Join(folder, "cpu.stat"))
	if err != nil {
		return 0, false
	}
	for entry := range strings.Lines(string(text)) {
		if fields := strings.Fields(entry); len(fields) == 2 && fields[0] == "nr_throttled" {
			n, err = strconv.ParseInt(fields[1], 10, 64)
			return n, err == nil
		}
	}
	return 0, false
}

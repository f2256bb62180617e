package doctor

import (
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
)

// What is good enough, as parts of all cores.
const (
	mostSteal = 0.01
	mostBusy  = 0.1 // by other programs
)

// times are the machine's CPU times since it was booted, and this process's own, in
// ticks.
type times struct {
	all, idle, steal, own float64
	known                 bool
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
	t.own, t.known = readOwn(root)
	return t
}

// readOwn reads what this process took, in user and kernel mode: fields 14 and 15
// of /proc/self/stat. The second is the program's name, which may hold spaces and
// parentheses.
func readOwn(root fs.FS) (ticks float64, known bool) {
	text, _ := line(root, "proc/self/stat")
	fields := strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
	if len(fields) < 13 {
		return 0, false
	}
	user, err1 := strconv.ParseUint(fields[11], 10, 64)
	kernel, err2 := strconv.ParseUint(fields[12], 10, 64)
	return float64(user) + float64(kernel), err1 == nil && err2 == nil
}

// contention judges how busy other programs kept the machine between two readings,
// and how much the hypervisor took.
func contention(before, after times) []Finding {
	all := after.all - before.all
	if !before.known || !after.known || all <= 0 {
		return []Finding{unknown("busy", "the system does not tell"), unknown("steal", "the system does not tell")}
	}
	steal := (after.steal - before.steal) / all
	busy := max(0, 1-(after.idle-before.idle+after.own-before.own)/all-steal)
	return []Finding{
		judge("busy", fmt.Sprintf("%.0f %% of all cores, by other programs", 100*busy), busy <= mostBusy, "stop what else runs here (top)"),
		judge("steal", fmt.Sprintf("%.1f %% taken by the hypervisor", 100*steal), steal <= mostSteal, "a machine whose cores are its own, or another host"),
	}
}

// cores compares the cores, and how many of them Go uses (procs), with what the
// senders and the replies need.
func cores(cpus, procs int, needs Needs) Finding {
	want := needs.Senders + 2
	remedy := fmt.Sprintf("a machine with %d cores or more; if the broker is on this one, too, it needs its own besides", want)
	if cpus >= want {
		remedy = fmt.Sprintf("unset GOMAXPROCS, or set it to %d or more", want)
	}
	value := fmt.Sprintf("%d, GOMAXPROCS %d, for %d that send, the replies, and one to spare", cpus, procs, needs.Senders)
	return judge("cores", value, min(cpus, procs) >= want, remedy)
}

// governor judges how the kernel chooses the cores' frequencies.
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

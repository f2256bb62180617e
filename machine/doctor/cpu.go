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

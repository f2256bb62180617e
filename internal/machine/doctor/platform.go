package doctor

import (
	"io/fs"
	"slices"
	"strings"
)

// kernel names the kernel.
func kernel(root fs.FS) Finding {
	kind, ok1 := line(root, "proc/sys/kernel/ostype")
	release, ok2 := line(root, "proc/sys/kernel/osrelease")
	if !ok1 || !ok2 {
		return unknown("kernel", "the system does not tell")
	}
	return note("kernel", kind+" "+release)
}

// virtual tells whether this is a virtual machine. On one the host may take the CPU
// away, which steal and hiccups show.
func virtual(root fs.FS) Finding {
	var words []string
	for _, file := range []string{"sys/hypervisor/type", "sys/class/dmi/id/sys_vendor", "sys/class/dmi/id/product_name"} {
		if text, ok := line(root, file); ok {
			words = append(words, text)
		}
	}
	product := strings.Join(words, " ")
	flags := strings.Fields(entry(root, "proc/cpuinfo", "flags")) // of an x86 CPU; elsewhere they do not mention a hypervisor
	switch {
	case slices.Contains(flags, "hypervisor"):
		return note("virtual machine", strings.TrimSpace("yes "+product))
	case len(flags) > 0:
		return note("virtual machine", strings.TrimSpace("no "+product))
	case product != "":
		return note("virtual machine", "perhaps: "+product)
	}
	return unknown("virtual machine", "the system does not tell")
}

// turbo judges whether a core may run faster than its rated speed while it is cool
// and others are idle. Then a run depends on what ran before it.
func turbo(root fs.FS) Finding {
	const folder = "sys/devices/system/cpu/"
	for _, t := range []struct{ file, on, off string }{
		{folder + "intel_pstate/no_turbo", "0", "1"},
		{folder + "cpufreq/boost", "1", "0"},
	} {
		switch state, _ := line(root, t.file); state {
		case t.on:
			return judge("turbo", "on: the speed depends on heat and on other cores", false, "echo "+t.off+" > /"+t.file+", for runs that are to be compared")
		case t.off:
			return good("turbo", "off")
		}
	}
	return unknown("turbo", "the system does not tell; in a virtual machine the host decides")
}

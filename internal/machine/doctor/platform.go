package doctor

import (
	"slices"
	"strings"

	"github.com/brokerbench/brokerbench/internal/machine"
)

// kernel names the kernel.
func kernel(s machine.System) Finding {
	if s.Kind == "" || s.Release == "" {
		return unknown("kernel", "the system does not tell")
	}
	return note("kernel", s.Kind+" "+s.Release)
}

const virtualMachine = "virtual machine"

// virtual tells whether this is a virtual machine. On one the host may take the CPU
// away, which steal and hiccups show.
func virtual(s machine.System) Finding {
	var words []string
	for _, file := range []string{"sys/hypervisor/type", "sys/class/dmi/id/sys_vendor", "sys/class/dmi/id/product_name"} {
		if text := s.FirstLine(file); text != "" {
			words = append(words, text)
		}
	}
	product := strings.Join(words, " ")
	switch {
	case slices.Contains(s.Flags, "hypervisor"):
		return note(virtualMachine, strings.TrimSpace("yes "+product))
	case len(s.Flags) > 0:
		return note(virtualMachine, strings.TrimSpace("no "+product))
	case product != "":
		return note(virtualMachine, "perhaps: "+product)
	}
	return unknown(virtualMachine, "the system does not tell")
}

// turbo judges whether a core may run faster than its rated speed while it is cool
// and others are idle. Then a run depends on what ran before it.
func turbo(s machine.System) Finding {
	const folder = "sys/devices/system/cpu/"
	for _, t := range []struct{ file, on, off string }{
		{folder + "intel_pstate/no_turbo", "0", "1"},
		{folder + "cpufreq/boost", "1", "0"},
	} {
		switch s.FirstLine(t.file) {
		case t.on:
			return judge("turbo", "on: the speed depends on heat and on other cores", false, "echo "+t.off+" > /"+t.file+", for runs that are to be compared")
		case t.off:
			return good("turbo", "off")
		}
	}
	return unknown("turbo", "the system does not tell; in a virtual machine the host decides")
}

package machine

import "slices"

// FastClock tells whether a clock source of the kernel is read without a system
// call and counts nanoseconds: those that the vDSO reads. An empty name, where the
// system shows none, counts as fast.
func FastClock(source string) bool {
	return slices.Contains([]string{
		"", "tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter", "riscv_clocksource", "timebase",
	}, source)
}

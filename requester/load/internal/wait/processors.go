package wait

import "runtime"

// SpareProcessors makes sure that there is a Go processor besides those of the
// senders, until restore is called. A thread that sleeps in the kernel keeps its
// processor until the runtime takes it away, up to 10 ms later; with as many
// senders as processors replies wait that long. A second spare one is not better:
// idle processors look for work on the cores that the broker needs.
func SpareProcessors(senders int) (restore func()) {
	before := runtime.GOMAXPROCS(0)
	if before > senders {
		return func() {}
	}
	runtime.GOMAXPROCS(senders + 1)
	return func() { runtime.GOMAXPROCS(before) }
}

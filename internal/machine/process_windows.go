package machine

import (
	"time"

	"golang.org/x/sys/windows"
)

func readProcess() (p processCounters) {
	var created, ended, kernel, user windows.Filetime
	if windows.GetProcessTimes(windows.CurrentProcess(), &created, &ended, &kernel, &user) != nil {
		return p
	}
	p.user, p.system = duration(user), duration(kernel)
	return p
}

// duration returns a time span, which Windows counts in 100 ns.
func duration(t windows.Filetime) time.Duration {
	return time.Duration(int64(t.HighDateTime)<<32|int64(t.LowDateTime)) * 100
}

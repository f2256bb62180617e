package machine

import (
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/brokerbench/brokerbench/results"
)

// Environment describes the machine and the process. Fields that the system does not show
// are empty.
func Environment() results.Environment {
	host, _ := os.Hostname() // unknown is empty
	cores := ReadCores()
	e := results.Environment{
		Brokerbench: Version(),
		Go:          runtime.Version(),
		OS:          runtime.GOOS + "/" + runtime.GOARCH,
		Kernel:      firstLine("/proc/sys/kernel/osrelease"),
		Host:        host,
		CPU:         field("/proc/cpuinfo", "model name"),
		CPUs:        cores.CPUs,
		GOMAXPROCS:  cores.Procs,
		MemoryBytes: memory(),
		ClockSource: ClockSource(),
		ClockStepNS: int64(ClockStep()),
	}
	if cores.Quota > 0 {
		e.CPUQuotaCores = &cores.Quota
	}
	return e
}

// Version returns the version of brokerbench as the build recorded it: a tag, or
// the revision, with "+dirty" where the tree had changes.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	version := "devel"
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			version = "devel-" + s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			version += "+dirty"
		}
	}
	return version
}

// ClockSource returns the kernel's clock source, or "".
func ClockSource() string {
	return firstLine("/sys/devices/system/clocksource/clocksource0/current_clocksource")
}

// firstLine returns the first line of a file, or "".
func firstLine(path string) string {
	text, _ := os.ReadFile(path)
	line, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimSpace(line)
}

// field returns the value of the first "name : value" line of a file, or "".
func field(path, name string) string {
	text, _ := os.ReadFile(path)
	for line := range strings.Lines(string(text)) {
		key, value, ok := strings.Cut(line, ":")
		if ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// memory returns the machine's memory in bytes, or 0.
func memory() int64 {
	kilobytes, _, _ := strings.Cut(field("/proc/meminfo", "MemTotal"), " ")
	n, _ := strconv.ParseInt(kilobytes, 10, 64) // absent is 0
	return n << 10
}

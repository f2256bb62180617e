package machine

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/prometheus/procfs"

	"github.com/brokerbench/brokerbench/results"
)

// Environment describes the machine and the process. Fields that the system does not show
// are empty.
func Environment() results.Environment {
	host, _ := os.Hostname() // unknown is empty
	cores, system := ReadCores(), ReadSystem("/")
	e := results.Environment{
		Brokerbench: Version(),
		Go:          runtime.Version(),
		OS:          runtime.GOOS + "/" + runtime.GOARCH,
		Kernel:      system.Release,
		Host:        host,
		CPU:         system.CPU,
		CPUs:        cores.CPUs,
		GOMAXPROCS:  cores.Procs,
		MemoryBytes: system.memory(),
		ClockSource: system.ClockSource,
		ClockStepNS: int64(ClockStep()),
	}
	if cores.Quota > 0 {
		e.CPUQuotaCores = &cores.Quota
	}
	system.writing(&e)
	return e
}

// writing describes what decides when CPUs are fast and when written bytes reach a drive.
func (s System) writing(e *results.Environment) {
	e.CPUGovernor, e.CPUDriver = text(s.OfCPUs("cpufreq/scaling_governor")), text(s.OfCPUs("cpufreq/scaling_driver"))
	if cached := s.Memory.CachedBytes; cached != nil {
		bytes := int64(*cached)
		e.PageCacheBytes = &bytes
	}
	const vm = "proc/sys/vm/dirty_"
	e.DirtyRatio, e.DirtyBackgroundRatio = s.number(vm+"ratio"), s.number(vm+"background_ratio")
	e.DirtyBytes, e.DirtyBackgroundBytes = s.number(vm+"bytes"), s.number(vm+"background_bytes")
}

// text returns a text that is known if it is not empty.
func text(s string) *string {
	if s == "" {
		return nil
	}
	return &s
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

// A System describes a machine, in the words of its kernel. Fields that the kernel does not show are empty or nil.
type System struct {
	Root          string // the folder below which it was read
	Kind, Release string // of the kernel
	ClockSource   string
	CPU           string   // the model of the first one
	Flags         []string // of an x86 CPU
	Memory        procfs.Meminfo
	Load          string // the averages over 1, 5 and 15 minutes
	Ports         []int  // the first and the last local port
	Sockets       int    // of TCP in use and in TIME_WAIT
}

// ReadSystem reads the files below a root folder, which is "/" outside of tests.
func ReadSystem(root string) System {
	s := System{Root: root}
	s.Kind, s.Release = s.FirstLine("proc/sys/kernel/ostype"), s.FirstLine("proc/sys/kernel/osrelease")
	s.ClockSource = s.FirstLine("sys/devices/system/clocksource/clocksource0/current_clocksource")
	load := strings.Fields(s.FirstLine("proc/loadavg"))
	s.Load = strings.Join(load[:min(3, len(load))], " ")
	s.CPU, s.Flags = s.cpu("model name"), strings.Fields(s.cpu("flags"))
	proc, ok := openFS(root)
	if !ok {
		return s
	}
	s.Memory, _ = Attempt(proc.Meminfo)
	s.Ports, _ = Attempt(func() ([]int, error) { return proc.SysctlInts("net.ipv4.ip_local_port_range") })
	if stat, ok := Attempt(proc.NetSockstat); ok {
		for _, p := range stat.Protocols {
			if p.Protocol != "TCP" {
				continue
			}
			if s.Sockets = p.InUse; p.TW != nil {
				s.Sockets += *p.TW
			}
		}
	}
	return s
}

// memory returns the machine's memory in bytes, or 0.
func (s System) memory() int64 {
	if s.Memory.MemTotalBytes == nil {
		return 0
	}
	return int64(*s.Memory.MemTotalBytes)
}

// cpu returns the value of the first "name : value" line of /proc/cpuinfo, or "". procfs reads that
// file on Linux alone.
func (s System) cpu(name string) string {
	text, _ := os.ReadFile(filepath.Join(s.Root, "proc/cpuinfo"))
	for line := range strings.Lines(string(text)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// OfCPUs returns what the folders of all CPUs have in a file, each value once; "" if it is unknown.
func (s System) OfCPUs(file string) string {
	paths, _ := fs.Glob(os.DirFS(s.Root), "sys/devices/system/cpu/cpu*/"+file)
	var found []string
	for _, p := range paths {
		if value := s.FirstLine(p); value != "" && !slices.Contains(found, value) {
			found = append(found, value)
		}
	}
	return strings.Join(found, ", ")
}

// number returns the number in the first line of a file; nil if there is none.
func (s System) number(path string) *int64 {
	n, err := strconv.ParseInt(s.FirstLine(path), 10, 64)
	if err != nil {
		return nil
	}
	return &n
}

// FirstLine returns the first line of a file below the root folder, or "".
func (s System) FirstLine(path string) string {
	text, _ := os.ReadFile(filepath.Join(s.Root, path))
	line, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimSpace(line)
}

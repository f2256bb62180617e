// Package host describes the machines of a run.
package host

// A Moment orders events of all processes on a machine since it booted, whatever becomes of its
// wall clock.
type Moment struct {
	Boot     string `json:"boot"` // the id that the kernel gave to this boot
	UptimeNS int64  `json:"uptime_ns"`
}

// An Environment describes the machine of a run. A field is empty if the system does not
// report it.
type Environment struct {
	Brokerbench string `json:"brokerbench"` // version of this tool
	Go          string `json:"go"`
	OS          string `json:"os"` // such as linux/amd64
	Kernel      string `json:"kernel"`
	Host        string `json:"host"`
	CPU         string `json:"cpu"`  // model
	CPUs        int    `json:"cpus"` // on which this process may run
	GOMAXPROCS  int    `json:"gomaxprocs"`
	MemoryBytes int64  `json:"memory_bytes"`
	ClockSource string `json:"clock_source"`
	ClockStepNS int64  `json:"clock_step_ns"` // the smallest step of the clock; 0: unknown

	CPUQuotaCores *float64 `json:"cpu_quota_cores"` // the smallest quota of the cgroups around this process; null: none, or unknown

	// CPUGovernor chooses the frequency of the CPUs, and CPUDriver sets it; of several both have all, such
	// as "performance, powersave". Null: unknown, as in most virtual machines, where the host decides.
	CPUGovernor *string `json:"cpu_governor"`
	CPUDriver   *string `json:"cpu_frequency_driver"`

	// PageCacheBytes is how much of the memory held files when the run began. The others decide how many
	// written bytes wait in it for a drive: from Background on the kernel writes them, and from Dirty on
	// writers wait. A part of the available memory counts where the bytes are 0. Null: unknown.
	PageCacheBytes       *int64 `json:"page_cache_bytes"`
	DirtyRatio           *int64 `json:"vm_dirty_ratio"` // percent
	DirtyBackgroundRatio *int64 `json:"vm_dirty_background_ratio"`
	DirtyBytes           *int64 `json:"vm_dirty_bytes"`
	DirtyBackgroundBytes *int64 `json:"vm_dirty_background_bytes"`
}

// A Storage is a file system and the drive below it. A fact is null if it is unknown, or if no drive is
// below.
type Storage struct {
	FileSystem   *string `json:"file_system"`   // its type, such as ext4
	MountOptions *string `json:"mount_options"` // such as rw,relatime

	Drive      *string `json:"drive"` // as the kernel calls it, such as nvme0n1
	Model      *string `json:"drive_model"`
	Rotational *bool   `json:"rotational"`
	Scheduler  *string `json:"queue_scheduler"` // of its requests, such as none
	WriteCache *string `json:"write_cache"`     // write back: data is safe after a flush; write through: once it is written
	Virtual    *bool   `json:"virtual_drive"`   // another program or a hypervisor is behind it
}
